/* Files, formats, gzip, writing. */
#include "reading.h"

#include "random_log.h"

#include <unistd.h>
#include <zlib.h>

static enum read_format format_of(const char *text) {
  struct error e = {0};
  struct reader *r = reader_of_text(text, strlen(text), "x", READ_AUTO, &e);
  enum read_format f = r ? reader_format(r) : READ_AUTO;
  reader_close(r);
  return f;
}

TEST(formats_are_recognised_by_content) {
  CHECK_INT(format_of("{\"type\":\"call\"}"), READ_JSONL);
  CHECK_INT(format_of("\xef\xbb\xbf\n [ {\n \"type\":\"call\"}]"), READ_JSONL);
  CHECK_INT(format_of("{\"schema\":{}}"), READ_VIOLAT);
  CHECK_INT(format_of("[{\"schema\":{}}]"), READ_VIOLAT);
  CHECK_INT(format_of("{:process 0}"), READ_EDN);
  CHECK_INT(format_of("; text\n#jepsen.history.Op{:process 0}"), READ_EDN);
  CHECK_INT(format_of("({:process 0 :value {:key 3}})"), READ_EDN);
  CHECK_INT(format_of("[]"), READ_EDN);
  CHECK_INT(format_of("{:process 0 :value \":key }\" :key 1}"), READ_KV);
  CHECK_INT(format_of("x\ny 0\t:ok\t:read\t1"), READ_JEPSEN_LOG);
  CHECK_INT(format_of("hello"), READ_AUTO);
  CHECK_INT(format_of("# A heading"), READ_AUTO);
}

TEST(what_is_no_history_is_said) {
  READS("hello",
        "x:1:1: expected a history: JSON lines {\"type\": …}, EDN maps "
        "{:process …}, lines of Jepsen's log "
        "(PROCESS<tab>:invoke<tab>:f<tab>value) or a history of Violat "
        "{\"schema\": …}");
  READS("", "x: the file is empty");
  READS("\n\n", "x: the file is empty");
  struct error e = {0};
  CHECK(!reader_open("/nowhere/at all", READ_AUTO, &e));
  CHECK_STR(e.text, "/nowhere/at all: No such file or directory");
  struct error folder = {0};
  CHECK(!reader_open("/", READ_AUTO, &folder));
  CHECK_STR(folder.text, "/: Is a directory");
}

TEST(after_an_error_there_is_nothing_more) {
  struct error e = {0};
  struct log_event ev;
  struct reader *r = reader_of_text("{:process 1}", 12, "x", READ_AUTO, &e);
  CHECK_INT(reader_next(r, &ev, &e), -1);
  CHECK_INT(e.code, ERR_INPUT);
  CHECK_INT(reader_next(r, &ev, &e), 0);
  reader_close(r);
}

static void pack(struct buf *out, const char *text, size_t len) {
  z_stream z = {0};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  size_t room = deflateBound(&z, len);
  unsigned char *packed = xmalloc(room);
  z.next_in = (unsigned char *)(uintptr_t)text;
  z.avail_in = (uInt)len;
  z.next_out = packed;
  z.avail_out = (uInt)room;
  CHECK_INT(deflate(&z, Z_FINISH), Z_STREAM_END);
  buf_put(out, packed, room - z.avail_out);
  deflateEnd(&z);
  free(packed);
}

TEST(gzip_is_seen_through) {
  static const char a[] = "{:process 0 :type :invoke :f :inc}\n{:process",
                    b[] = " 0 :type :ok :f :inc}\n";
  struct buf packed = {0};
  pack(&packed, a, strlen(a));
  size_t one = packed.len;
  pack(&packed, b, strlen(b)); /* as `cat` joins them */
  CHECK_STR(reading(packed.at, packed.len, READ_AUTO), "0 inc() 0-1; ");
  CHECK_STR(reading(packed.at, one - 9, READ_AUTO),
            "x: the gzip data end early");
  packed.at[12] ^= 0x55;
  CHECK_HAS(reading(packed.at, packed.len, READ_AUTO),
            "x: the gzip data are damaged");
  buf_free(&packed);
}

TEST(files_are_read_like_texts) {
  char path[] = "/tmp/faultline-test-XXXXXX";
  int fd = mkstemp(path);
  static const char text[] = "{:process 0 :type :invoke :f :inc}\n";
  if (!CHECK(fd >= 0) ||
      !CHECK(write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1))
    return;
  close(fd);
  struct error e = {0};
  struct reader *r = reader_open(path, READ_AUTO, &e);
  struct log l;
  CHECK_INT(reader_log(r, &l, &e), 1);
  CHECK_STR(l.source, path);
  CHECK_INT(l.index, 1);
  CHECK_INT(l.ops.at[0].line, 1);
  log_free(&l);
  CHECK_INT(reader_log(r, &l, &e), 0);
  reader_close(r);
  unlink(path);
}

/* What is written is read as the same log: once written, times have no gaps,
 * so the second text is the first. */
static void round_trip(struct log *l) {
  struct buf first = {0}, second = {0}, a = {0}, b = {0};
  struct error e = {0};
  struct log back;
  log_write(l, &first);
  struct reader *r = reader_of_text(first.at, first.len, "x", READ_AUTO, &e);
  if (!CHECK(r) || !CHECK_INT(reader_log(r, &back, &e), 1)) {
    fprintf(stderr, "%s\n", e.text);
    return;
  }
  CHECK_INT(reader_format(r), READ_JSONL);
  log_check_invariants(&back);
  log_write(&back, &second);
  CHECK_STR(buf_text(&second), buf_text(&first));
  put_log(&a, l);
  put_log(&b, &back);
  CHECK_STR(buf_text(&b), buf_text(&a));
  log_free(&back);
  reader_close(r);
  buf_free(&first);
  buf_free(&second);
  buf_free(&a);
  buf_free(&b);
}

TEST(what_is_written_is_read_again) {
  for (uint32_t s = 0; random_log_shapes[s]; s++)
    for (uint64_t seed = 0; seed < 50; seed++) {
      struct random_log want = {.shape = random_log_shapes[s],
                                .seed = seed,
                                .operations = (uint32_t)seed,
                                .pending = seed % 2 ? 10 : 0};
      struct log l = random_log(&want);
      round_trip(&l);
      log_free(&l);
      if (test_errors)
        return;
    }
}

TEST(odd_values_are_read_again) {
  static const char text[] =
      "{:process 0 :type :invoke :f :f :value [\"\" \"\x01\\\"\\\\\\n\" "
      "sym {:a 1} {\"symbol\" 1} {\"map\" [1]} {\"pointer\" \"p\"} "
      "{\"a\" {3 4} \"b\" nil} 1.5 1/2 99999999999999999999 -1e7 {} [] "
      "{\"map\" [[1 2]]} {\"symbol\" \"s\"}]}"
      "{:process 1 :type :invoke :f :g :value {:x #{1}} :order 12}"
      "{:process :nemesis :type :info :f :start-kill :value [:n1]}"
      "{:process :nemesis :type :info :f :skew :value [:n1]}"
      "{:process :nemesis :type :info :f :stop-kill :value [:n1]}"
      "{:process :nemesis :type :info :f :start :value nil}"
      "{:process 0 :type :ok :f :f :value :done}";
  struct error e = {0};
  struct log l;
  struct reader *r = reader_of_text(text, sizeof text - 1, "x", READ_AUTO, &e);
  CHECK_INT(reader_log(r, &l, &e), 1);
  CHECK_INT(l.notes.len, 3);
  l.type = "pqueue";
  l.type_argument = datum_list(NULL, 0);
  round_trip(&l);
  log_free(&l);
  reader_close(r);
}

TEST_MAIN
