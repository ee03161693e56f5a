#include "reading.h"

#define HEAD                                                                   \
  "{\"schema\":{\"id\":1,\"class\":\"java.util.concurrent."                    \
  "ArrayBlockingQueue\","                                                      \
  "\"parameters\":[{\"type\":\"int\"}],\"arguments\":[20],\"sequences\":[{"    \
  "\"index\":0,\"invocations\":[]}],\"order\":[]},\"events\":["
#define INV(ID, NAME, ARGS)                                                    \
  "\"invocation\":{\"id\":" #ID ",\"method\":{\"name\":\"" NAME                \
  "\",\"parameters\":[],\"void\":false},\"arguments\":" ARGS "}"
#define CALL(SID, ID, NAME, ARGS)                                              \
  "{\"kind\":\"call\",\"sid\":" #SID "," INV(ID, NAME, ARGS) "}"
#define RETURN(SID, ID, NAME, ARGS, VALUE)                                     \
  "{\"kind\":\"return\",\"sid\":" #SID "," INV(ID, NAME, ARGS) VALUE "}"

TEST(an_object_is_a_history) {
  READS(
      HEAD CALL(0, 0, "offer", "[1]") "," CALL(1, 1, "toString", "[]") "," RETURN(
          0, 0, "offer", "[1]",
          ",\"value\":\"true\"") "," RETURN(1, 1, "toString", "[]",
                                            ",\"value\":\"[1, "
                                            "2]\"") "," CALL(0, 2,
                                                             "clea"
                                                             "r",
                                                             "[]") "," RETURN(0,
                                                                              2,
                                                                              "clear",
                                                                              "[]",
                                                                              "") "]}",
      "<java.util.concurrent.ArrayBlockingQueue 20> 0 offer(1) = true 0-2; 1 "
      "toString() = \"[1, 2]\" 1-3; 0 clear() 4-5; ");
}

TEST(values_are_what_java_prints) {
  READS(
      HEAD CALL(0, 0, "putAll", "[{\"0\":1,\"10\":2}]") "," RETURN(0, 0, "putAll", "[]", "") "," CALL(0, 1, "poll", "[]") "," RETURN(
          0, 1, "poll", "[]",
          ",\"value\":\"null\"") "," CALL(0, 2, "addAll",
                                          "[[1,2]]") "," RETURN(0, 2, "addAll",
                                                                "[]",
                                                                ",\"value\""
                                                                ":\"java."
                                                                "lang."
                                                                "IllegalSta"
                                                                "teExceptio"
                                                                "n\"") "," CALL(0,
                                                                                3,
                                                                                "size",
                                                                                "[]") "," RETURN(0,
                                                                                                 3,
                                                                                                 "size",
                                                                                                 "[]",
                                                                                                 ",\"value\":\"-12\"") "]}\n",
      "<java.util.concurrent.ArrayBlockingQueue 20> 0 putAll({0: 1, 10: 2}) "
      "0-1; 0 poll() = nil 2-3; 0 addAll([1, 2]) = "
      "\"java.lang.IllegalStateException\" 4-5; 0 size() = -12 6-7; ");
}

TEST(several_histories_stand_in_lines_or_in_an_array) {
  READS(HEAD CALL(0, 0, "a", "[]") "]}\n" HEAD "]}\n",
        "<java.util.concurrent.ArrayBlockingQueue 20> 0 a() 0-; | "
        "<java.util.concurrent.ArrayBlockingQueue 20> ");
  READS("[\n" HEAD CALL(0, 0, "a", "[]") "]\n}\n,\n" HEAD "]}\n]\n",
        "<java.util.concurrent.ArrayBlockingQueue 20> 0 a() 0-; | "
        "<java.util.concurrent.ArrayBlockingQueue 20> ");
}

TEST(what_is_wrong_is_said_with_its_place) {
  READS("{\"schema\":{}}", "x:1:13: expected \"events\" in this history");
  READS("{\"events\":[]}",
        "x:1:11: expected \"schema\" with a \"class\" before \"events\"");
  READS("{\"schema\":{\"class\":3}}", "x:1:20: expected the name of a class");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[{\"sid\":0}]}",
        "x:2:11: expected a \"kind\" in this event");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[{\"kind\":\"x\"}]}",
        "x:2:19: expected \"call\" or \"return\"");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[{\"kind\":\"call\","
        "\"sid\":0}]}",
        "x:2:11: expected an \"invocation\" with a \"method\" in this event");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[3]}",
        "x:2:11: expected { of an event, or ]");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[" CALL(
            0, 0, "a", "[]") ",\n" CALL(1, 0, "a", "[]") "]}",
        "x:3:1: operation 0 is called a second time");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[" RETURN(0, 0, "a", "[]",
                                                              "") "]}",
        "x:2:11: process 0 returns from a, but has not called");
  READS("{\"schema\":{\"class\":\"a\"},\n\"events\":[",
        "x:2:11: expected { of an event, or ], but the file ends here");
}

/* 300 histories a class, gzip; of each operation a return. */
TEST(recorded_histories_are_read) {
  static const char *const classes[] = {"ABQ",  "CHM", "CLD", "CLQ", "CSLM",
                                        "CSLS", "LBD", "LBQ", "LTQ", "PBQ"};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    char name[32];
    snprintf(name, sizeof name, "juc/%s.jsonl.gz", classes[i]);
    const char *path = recorded(name);
    if (!path)
      return;
    struct error e = {0};
    struct reader *r = reader_open(path, READ_AUTO, &e);
    if (!CHECK(r))
      return;
    CHECK_INT(reader_format(r), READ_VIOLAT);
    struct log l;
    uint32_t n = 0;
    for (; reader_log(r, &l, &e) == 1; n++) {
      log_check_invariants(&l);
      CHECK_INT(l.end, 2 * l.ops.len);
      CHECK_INT(l.index, n + 1);
      CHECK_HAS(l.type, "java.util.concurrent.");
      log_free(&l);
    }
    CHECK_STR(e.text, "");
    CHECK_INT(n, 300);
    reader_close(r);
  }
}

TEST_MAIN
