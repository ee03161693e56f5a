#include "reading.h"

#define LINE "INFO  jepsen.util - "

TEST(lines_with_four_columns_are_events) {
  READS("something else\n" LINE "0\t:invoke\t:read\tnil\n" LINE
        "3\t:invoke\t:write\t4\n"
        "WARN  a line\twith a tab\n" LINE "0\t:ok\t:read\t2\n" LINE
        "3\t:ok\t:write\t4\r\n",
        "0 read() = 2 0-2; 3 write(4) 1-3; ");
}

TEST(failures_and_timeouts_are_those_of_etcd) {
  READS(LINE
        "0\t:invoke\t:cas\t[1 2]\n" LINE "1\t:invoke\t:write\t4\n" LINE
        "0\t:fail\t:cas\t[1 2]\n" LINE "1\t:info\t:write\t:timed-out\n" LINE
        "2\t:invoke\t:read\tnil\n" LINE "2\t:info\t:read\t:timed-out\n" LINE
        "3\t:invoke\t:write\t1\n" LINE "3\t:fail\t:write\t1\n" LINE
        "4\t:invoke\t:cas\t[1 1]\n" LINE "4\t:ok\t:cas\t[1 1]",
        "0 cas(1, 2) failed 0-2; 1 write(4) 1-; 4 cas(1, 1) = true 5-6; ");
}

TEST(the_nemesis_and_later_layouts_are_read) {
  READS("2015-01-01 12:00 INFO [jepsen nemesis] jepsen.util - "
        ":nemesis\t:info\t:start\t#object[x\n"
        "2015-01-01 12:00{GMT}\tINFO\t[jepsen worker 1] jepsen.util: "
        "1\t:invoke\t:read\tnil\t:extra\n"
        "x 1\t:invoke\t:read\tnil\t:extra\n"
        "x 1\t:ok\t:read\t[1 \"a\"]\n",
        "1 read() = [1, \"a\"] 1-2; 'start #object[x' 0-; ");
}

TEST(what_is_malformed_is_said_with_its_place) {
  READS(LINE "0\t:invoke\t:read\tnil\n" LINE "x\t:ok\t:read\t1\n",
        "x:2:21: expected a process number before the tab");
  READS(LINE "0\t:invoke\t:read\tnil\n" LINE "0\t:ok\n",
        "x:2:26: expected a tab and the operation, but the line ends here");
  READS(LINE "0\t:invoke\t:read\tnil\n" LINE "0\t:ok\tread\t1\n",
        "x:2:27: expected the operation, as :read");
  READS(LINE "0\t:invoke\t:cas\t[1 2\n" LINE "1\t:invoke\t:read\tnil\n",
        "x:1:40: expected a value or ], but the line ends here");
  READS(LINE "0\t:ok\t:read\t1\n",
        "x:1:21: process 0 returns from read, but has not called");
}

TEST(recorded_logs_are_read) {
  for (int i = 0; i <= 50; i++) {
    char name[32];
    snprintf(name, sizeof name, "jepsen/etcd_%03d.log", i);
    const char *path = recorded(name);
    if (!path)
      return;
    struct error e = {0};
    struct reader *r = reader_open(path, READ_AUTO, &e);
    struct log l;
    if (!CHECK(r) || !CHECK_INT(reader_log(r, &l, &e), 1))
      return;
    CHECK_INT(reader_format(r), READ_JEPSEN_LOG);
    log_check_invariants(&l);
    CHECK(l.ops.len > 50);
    CHECK(l.functions.len == 3);
    log_free(&l);
    reader_close(r);
  }
}

TEST_MAIN
