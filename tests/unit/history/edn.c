#include "reading.h"

TEST(maps_one_a_line_are_a_history) {
  READS("{:process 0, :type :invoke, :f :write, :value 3}\n"
        "{:process 1, :type :invoke, :f :read, :value nil}\n"
        "{:process 0, :type :ok, :f :write, :value 3}\n"
        "{:process 1, :type :ok, :f :read, :value 3}\n",
        "0 write(3) 0-2; 1 read() = 3 1-3; ");
}

TEST(a_vector_of_maps_is_a_history_and_so_is_the_next) {
  READS("; recorded\n[{:type :invoke :process 0 :f :inc :value nil}\n"
        " {:type :ok,:process 0,:f :inc,:value nil}]\n"
        "({:type :invoke\n  :process 0 ; why\n  :f :dec :value nil})\n[]",
        "0 inc() 0-1; | 0 dec() 0-; | ");
}

TEST(cas_has_two_arguments_and_fails_without_an_effect) {
  READS("{:process 0 :type :invoke :f :cas :value [1 2]}"
        "{:process 1 :type :invoke :f :cas :value [2 3]}"
        "{:process 0 :type :ok :f :cas :value [1 2]}"
        "{:process 1 :type :fail :f :cas :value [2 3]}",
        "0 cas(1, 2) = true 0-2; ");
}

TEST(info_is_pending_for_ever_and_a_read_of_no_matter) {
  READS("{:process 0 :type :invoke :f :write :value 1}"
        "{:process 1 :type :invoke :f :read :value nil}"
        "{:process 0 :type :info :f :write :value 1 :error :timeout}"
        "{:process 1 :type :info :f :read :value nil}"
        "{:process 5 :type :invoke :f :read :value nil}"
        "{:process 5 :type :ok :f :read :value nil}",
        "0 write(1) 0-; 5 read() = nil 2-3; ");
}

TEST(the_nemesis_becomes_notes) {
  READS("{:process :nemesis :type :info :f :start-partition :value nil}"
        "{:process 0 :type :invoke :f :read :value nil}"
        "{:process :nemesis :type :info :f :start-partition :value "
        "[:isolated {\"n1\" #{\"n3\" \"n2\"}}]}"
        "{:process :nemesis, :type :info, :f :stop-partition, :value nil}"
        "{:process 0 :type :ok :f :read :value nil}"
        "{:process :nemesis, :type :info, :f :stop-partition, :value :done}",
        "0 read() = nil 1-4; 'start-partition [isolated, {\"n1\": [\"n2\", "
        "\"n3\"]}]' 0-5; ");
}

TEST(independent_keys_are_first_arguments) {
  READS("{:process 0 :type :invoke :f :write :value [7 3]}"
        "{:process 1 :type :invoke :f :read :value [7 nil]}"
        "{:process 2 :type :invoke :f :cas :value [7 [3 4]]}"
        "{:process 3 :type :invoke :f :add :value "
        "#jepsen.independent.Tuple{:key 8, :value 5}}"
        "{:process 4 :type :invoke :f :take :value "
        "#jepsen.independent/tuple [9 nil]}"
        "{:process 0 :type :ok :f :write :value [7 3]}"
        "{:process 1 :type :ok :f :read :value [7 3]}"
        "{:process 2 :type :ok :f :cas :value [7 [3 4]]}"
        "{:process 3 :type :ok :f :add :value "
        "#jepsen.independent.Tuple{:key 8, :value 5}}"
        "{:process 4 :type :ok :f :take :value "
        "#jepsen.independent/tuple [9 1]}",
        "0 write(7, 3) 0-5; 1 read(7) = 3 1-6; 2 cas(7, 3, 4) = true 2-7; "
        "3 add(8, 5) 3-8; 4 take(9) = 1 4-9; ");
}

TEST(an_object_without_keys_has_vectors_as_values) {
  static const char text[] =
      "{:process 0 :type :invoke :f :write :value [7 3]}"
      "{:process 1 :type :invoke :f :cas :value [7 [3 4]]}"
      "{:process 2 :type :invoke :f :read :value nil}"
      "{:process 3 :type :invoke :f :write :value #t.Tuple [7 3]}"
      "{:process 0 :type :ok :f :write :value [7 3]}"
      "{:process 1 :type :ok :f :cas :value [7 [3 4]]}"
      "{:process 2 :type :ok :f :read :value [7 3]}";
  struct error e = {0};
  struct reader *r = reader_of_text(text, sizeof text - 1, "x", READ_EDN, &e);
  struct buf out = {0};
  reader_has_no_keys(r);
  put_histories(&out, r, &e);
  CHECK_STR(buf_text(&out),
            "0 write([7, 3]) 0-4; 1 cas(7, [3, 4]) = true 1-5; 2 read() = [7, "
            "3] 2-6; 3 write(7, 3) 3-; ");
  reader_close(r);
  /* What was taken apart is put together again. */
  struct log l;
  r = reader_of_text(text, sizeof text - 1, "x", READ_EDN, &e);
  CHECK(reader_log(r, &l, &e) == 1);
  log_join_pairs(&l);
  buf_clear(&out);
  put_log(&out, &l);
  CHECK_STR(buf_text(&out),
            "0 write([7, 3]) 0-4; 1 cas(7, [3, 4]) = true 1-5; 2 read() = [7, "
            "3] 2-6; 3 write(7, 3) 3-; ");
  log_free(&l);
  reader_close(r);
  buf_free(&out);
}

TEST(a_completed_history_has_the_result_in_the_call) {
  READS("{:process 0 :type :invoke :f :read :value 3}"
        "{:process 0 :type :ok :f :read :value 3}"
        "{:process 0 :type :invoke :f :read :value [1 3]}"
        "{:process 0 :type :ok :f :read :value [1 3]}"
        "{:process 0 :type :invoke :f :dequeue :value 3}"
        "{:process 0 :type :ok :f :dequeue :value 3}",
        "0 read(3) = 3 0-1; 0 read(1, 3) = 3 2-3; 0 dequeue(3) = 3 4-5; ");
}

TEST(a_key_stands_in_a_map_once) {
  READS("{:process 0 :type :invoke :f :read}\n"
        "{:process 0 :type :ok :f :read :value 1, :value 2}",
        "x:2:42: expected :value only once in this map");
  READS("{:process 0 :type :invoke :f :read\n :node 1 :node 2}",
        "x:2:10: expected the key node only once in this map");
  READS("{:process 0 :type :invoke :f :read :error {:a 1 :b 2 :a 3}}",
        "x:1:54: expected the key a only once in this map");
  READS("{:process 0 :type :invoke :f :add :value {:a 1 a 2 \"a\" 3 :b 1}}",
        "0 add({\"a\": 3, a: 2, b: 1}) 0-; ");
}

TEST(of_many_keys_too_each_stands_there_once) {
  struct buf good = {0}, bad = {0};
  buf_puts(&good, "{:process 0 :type :invoke :f :add :value {");
  for (int i = 0; i < 100; i++)
    buf_printf(&good, "%d {0 0 1 1} ", i);
  buf_printf(&bad, "%s 50 1}}", buf_text(&good));
  buf_puts(&good, "100 1}}");
  CHECK(strstr(reading(buf_text(&good), good.len, READ_AUTO), "add({"));
  CHECK(strstr(reading(buf_text(&bad), bad.len, READ_AUTO),
               "expected the key 50 only once in this map"));
  buf_free(&good);
  buf_free(&bad);
}

TEST(results_are_what_differs_from_the_call) {
  READS("{:process 0 :type :invoke :f :remove :value 3}"
        "{:process 0 :type :ok :f :remove :value true}"
        "{:process 0 :type :invoke :f :dequeue :value nil}"
        "{:process 0 :type :ok :f :dequeue :value nil}"
        "{:process 0 :type :invoke :f :dequeue}"
        "{:process 0 :type :ok :f :dequeue :value :empty}"
        "{:process 0 :type :invoke :f :lock :value nil}"
        "{:process 0 :type :ok :f :lock :value nil}"
        "{:process 0 :type :invoke :f :write :value nil}"
        "{:process 0 :type :ok :f :write :value nil}",
        "0 remove(3) = true 0-1; 0 dequeue() = nil 2-3; 0 dequeue() = empty "
        "4-5; 0 lock() 6-7; 0 write(nil) 8-9; ");
}

TEST(values_of_all_kinds_are_read) {
  READS("{:process 0 :type :invoke :f :f :value (-3 +4 12N 1.5 1/2 1e3M "
        "99999999999999999999 \"a\\\"\\n\nb\" \\a \\newline \\( :key sym "
        "ns/sym true false nil #{3 1 2 1} {:a 1, \"b\" 2} #inst \"2020\" "
        "#_ignored #_[1 2] ##NaN ; rest\n [])}",
        "0 f([-3, 4, 12, 1.5, 1/2, 1e3M, 99999999999999999999, "
        "\"a\\\"\\n\\nb\", \"a\", \"\\n\", \"(\", key, sym, ns/sym, true, "
        "false, nil, [1, 2, 3], {a: 1, \"b\": 2}, \"2020\", NaN, []]) 0-; ");
}

TEST(records_tags_and_unknown_fields_are_seen_through) {
  READS("#jepsen.history.Op{:index 0, :time 12, :type :invoke, :process 0, :f "
        ":read, :value nil, :node \"n1\", :extra [{:a #{1}}]}\n"
        "#jepsen.history.Op {:index 1, :time 12, :type :ok, :process 0, :f "
        ":read, :value 5, 3 4, \"x\" y, :order 8}\n",
        "0 read() = 5 #8 0-1; ");
}

TEST(time_that_goes_backwards_is_said) {
  READS("{:process 0 :type :invoke :f :read :time 10 :index 3}\n"
        "{:process 0 :type :ok :f :read :value 1 :time 9 :index 4}\n",
        "0 read() = 1 0-1; ");
  READS("{:process 0 :type :invoke :f :read :index 3}\n"
        "{:process 0 :type :ok :f :read :value 1 :index 3}\n",
        "x:2:1: index 3 comes after index 3: events must be in the order "
        "of time");
  READS("{:process 0 :type :invoke :f :read :time 10}\n"
        "{:process 0 :type :ok :f :read :value 1 :time 9}\n",
        "x:2:1: time 9 comes after time 10: events must be in the order "
        "of time");
}

#define CALL "{:process 1 :type :invoke :f :read :value nil}\n"

TEST(what_is_malformed_is_said_with_its_place) {
  READS(CALL "{:process 1 :type :okay :f :read}",
        "x:2:19: expected :invoke, :ok, :fail or :info");
  READS(CALL "{:process -1 :type :ok}",
        "x:2:11: expected a process: a number below 2^32 - 1, or a keyword");
  READS(CALL "{:process 1.5 :type :ok}",
        "x:2:11: expected a process: a number below 2^32 - 1, or a keyword");
  READS(CALL "{:process 1 :type}", "x:2:18: expected a value for this key");
  READS(CALL "{:process 1 :f 3}", "x:2:16: expected the name of an operation");
  READS(CALL "{:process 1 :type :ok :value [1 2}",
        "x:2:34: expected a value or ]");
  READS(CALL "{:process 1 :type :ok :value {1 2 3}}",
        "x:2:30: expected a value for every key of the map");
  READS(CALL "{:process 1 :type :ok",
        "x:2:22: expected a key or }, but the file ends here");
  READS(CALL "{:process 1 :type :ok :value \"abc",
        "x:2:34: expected \" at the end of the text, but the file ends here");
  READS(CALL "{:process 1 :type :ok :value 12*4}", "x:2:32: expected a number");
  READS(CALL "{:process 1 :type :ok :value ^a}", "x:2:30: expected a value");
  READS(CALL "{:process 1 :type :ok :value \"\xc3\"}",
        "x:2:31: expected UTF-8");
  READS(CALL "{:type :ok}", "x:2:1: expected a :process in this entry");
  READS(CALL "\n\n  {:process\n 1}", "x:4:3: expected a :type in this entry");
  READS(CALL "{:process 2 :type :invoke}",
        "x:2:1: expected an :f in this entry");
  READS(CALL "nil", "x:2:1: expected a map {:process …, :type …, :f …}");
  READS("[" CALL, "x:2:1: expected ] before the end of the file, but the file "
                  "ends here");
  READS("[" CALL "] {}",
        "x:2:3: expected another vector or the end of the file");
  READS("[" CALL "3]", "x:2:1: expected a map {…} or ]");
  READS(CALL "{:a #_", "x:2:7: expected a value, but the file ends here");
}

TEST(what_cannot_be_is_said_with_its_place) {
  READS(CALL CALL,
        "x:2:1: process 1 calls read before its read of line 1 has returned");
  READS("{:process 1 :type :ok :f :read :value 1}",
        "x:1:1: process 1 returns from read, but has not called");
  READS(CALL "{:process 1 :type :ok :f :write :value 1}",
        "x:2:1: process 1 returns from write, but has called read in line 1");
  READS("{:process 1 :type :invoke :f :w :value 1}"
        "{:process 1 :type :info :f :w :value 1}" CALL,
        "x:1:81: process 1 calls read, but its w of line 1 never returns: a "
        "process that goes on after that needs a new number");
}

TEST(nesting_has_a_bound) {
  static const char *const opens[] = {"[", "{1 ", "#a ", "#_", "#{"};
  for (size_t k = 0; k < sizeof opens / sizeof *opens; k++) {
    struct buf b = {0};
    buf_puts(&b, "{:process 1 :value ");
    for (int i = 0; i < 100000; i++)
      buf_puts(&b, opens[k]);
    CHECK_HAS(read_chunks(b.at, b.len, SIZE_MAX, READ_AUTO),
              "expected at most 100 nested values");
    buf_free(&b);
  }
}

TEST(key_value_logs_have_a_key) {
  READS("{:process 0, :type :invoke, :f :append, :key \"0\", :value \"x 0\"}\n"
        "{:process 1, :type :invoke, :f :get, :key \"0\", :value nil}\n"
        "{:process 0, :type :ok, :f :append, :key \"0\", :value \"x 0\"}\n"
        "{:process 1, :type :ok, :f :get, :key \"0\", :value \"x 0\"}\n",
        "<kv> 0 append(\"0\", \"x 0\") 0-2; 1 get(\"0\") = \"x 0\" 1-3; ");
}

TEST(recorded_key_value_logs_are_read) {
  static const struct {
    const char *name;
    uint32_t processes;
  } files[] = {{"kv/c01-ok.txt", 1},
               {"kv/c01-bad.txt", 1},
               {"kv/c10-ok.txt", 10},
               {"kv/c10-bad.txt", 10}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const char *path = recorded(files[i].name);
    if (!path)
      return;
    struct error e = {0};
    struct reader *r = reader_open(path, READ_AUTO, &e);
    struct log l;
    if (!CHECK(r) || !CHECK_INT(reader_log(r, &l, &e), 1))
      return;
    CHECK_INT(reader_format(r), READ_KV);
    CHECK_INT(l.nprocesses, files[i].processes);
    CHECK_STR(l.type, "kv");
    CHECK_INT(2 * l.ops.len, l.end); /* all of them return */
    CHECK_INT(reader_next(r, &(struct log_event){0}, &e), 0);
    log_free(&l);
    reader_close(r);
  }
}

TEST_MAIN
