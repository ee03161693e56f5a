/*
 * Lines of the usual form are read at once (read/jsonl_quick.c): with and
 * without that the events and the errors are the same, whatever the text is,
 * and wherever the window ends.
 */
#include "test.h"

#include "base/rng.h"
#include "history/read/int.h"

static void print_event(const struct log_event *ev, struct buf *out) {
  buf_printf(out, "%d %u %u %u %.*s order %llu:", (int)ev->kind, ev->process,
             ev->line, ev->nargs, ev->f ? (int)ev->flen : 0, ev->f ? ev->f : "",
             (unsigned long long)ev->order);
  for (int i = 0; i < LOG_ARGS; i++) {
    buf_putc(out, ' ');
    datum_print(ev->arg[i], out);
  }
  buf_puts(out, " = ");
  datum_print(ev->result, out);
  buf_printf(out, " text %.*s\n", ev->text ? (int)ev->tlen : 0,
             ev->text ? ev->text : "");
}

static void read_all(const struct buf *text, size_t chunk, bool no_quick,
                     struct buf *out, uint32_t *events) {
  struct error e = {0};
  struct log_event ev;
  struct reader *r =
      reader_of_chunks(text->at, text->len, chunk, "x", READ_JSONL, &e);
  int got = r ? 1 : -1;
  if (r)
    r->no_quick = no_quick;
  while (got == 1 && (got = reader_next(r, &ev, &e)) == 1) {
    print_event(&ev, out);
    ++*events;
  }
  if (got < 0)
    buf_puts(out, e.text);
  reader_close(r);
}

static const char *const values[] = {
    "1",
    "-7",
    "0",
    "12345678",
    "123456789012345678",
    "true",
    "false",
    "null",
    "99999999999999999999",
    "007",
    "1.5",
    "\"x\"",
    "[1]",
    "2305843009213693952",
    "-0",
    "1e3",
    "\"a\\n\"",
    "{}",
    "tru",
    "-",
};
enum { NVALUES = sizeof values / sizeof *values, NPLAIN = 8 };

static const char *value(struct rng *r) {
  return values[rng_below(r, rng_below(r, 20) ? NPLAIN : NVALUES)];
}

static void put_call(struct rng *r, const char *s, uint32_t p,
                     struct buf *out) {
  static const char *const names[] = {"enq", "deq", "write", "put-if-absent"};
  uint32_t n = rng_below(r, 20) ? rng_below(r, 4) : 5;
  buf_printf(out,
             "{\"type\":%s\"call\",%s\"process\":%s%u,%s\"name\":%s\"%s\",%s"
             "\"args\":%s[",
             s, s, s, p, s, s, names[rng_below(r, 4)], s, s);
  for (uint32_t i = 0; i < n; i++)
    buf_printf(out, "%s%s", i ? "," : "", i && *s ? " " : ""),
        buf_puts(out, value(r));
  buf_puts(out, "]}\n");
}

static void put_return(struct rng *r, const char *s, uint32_t p,
                       struct buf *out) {
  buf_printf(out, "{\"type\":%s\"return\",%s\"process\":%s%u", s, s, s, p);
  if (rng_below(r, 3))
    buf_printf(out, ",%s\"result\":%s%s", s, s, value(r));
  buf_puts(out, "}\n");
}

static void put_other(struct rng *r, uint32_t p, struct buf *out) {
  static const char *const lines[] = {
      "{\"type\":\"note\",\"text\":\"start-kill n1\"}\n",
      "{\"type\":\"history\",\"version\":1,\"spec\":\"queue\"}\n",
      "\n",
      "  \n",
  };
  static const char *const events[] = {
      "{\"process\":%u,\"type\":\"call\",\"name\":\"enq\",\"op\":%u}\n",
      "{\"type\":\"info\",\"process\":%u,\"op\":%u}\n",
      "{\"type\":\"invoke\",\"process\":%u,\"f\":\"enq\",\"value\":%u}\n",
      "{\"type\":\"fail\",\"process\":%u,\"result\":%u}\n",
  };
  if (rng_below(r, 3) == 0)
    buf_puts(out, lines[rng_below(r, 4)]);
  else
    buf_printf(out, events[rng_below(r, 4)], p, (unsigned)rng_below(r, 1000));
}

/* Processes that call and return, mostly rightly. */
static void make(struct rng *r, struct buf *out) {
  bool open[4] = {false};
  uint32_t lines = 4 + rng_below(r, 40);
  const char *s = rng_below(r, 3) ? "" : " ";
  for (uint32_t i = 0; i < lines; i++) {
    uint32_t p = rng_below(r, 4);
    if (!rng_below(r, 50))
      s = *s ? "" : " ";
    if (!rng_below(r, 30))
      put_other(r, p, out);
    else if (open[p] != !rng_below(r, 60))
      put_return(r, s, p, out), open[p] = false;
    else
      put_call(r, s, p, out), open[p] = true;
  }
}

static void spoil(struct rng *r, struct buf *text) {
  static const char bytes[] = " \n,:{}[]\"\\0a-\t";
  for (uint32_t n = rng_below(r, 3); n; n--)
    text->at[rng_below(r, (uint32_t)text->len)] =
        bytes[rng_below(r, sizeof bytes)];
}

TEST(the_quick_way_reads_what_the_other_one_reads) {
  struct rng r = {1};
  uint32_t events = 0;
  for (int round = 0; round < 20000; round++) {
    struct buf text = {0}, quick = {0}, slow = {0};
    make(&r, &text);
    if (round % 2)
      spoil(&r, &text);
    size_t chunk = round % 3 ? 1 + rng_below(&r, 200) : SIZE_MAX;
    uint32_t again = 0;
    read_all(&text, chunk, false, &quick, &events);
    read_all(&text, chunk, true, &slow, &again);
    bool same = CHECK_STR(buf_text(&quick), buf_text(&slow));
    if (!same)
      fprintf(stderr, "of:\n%s\n", buf_text(&text));
    buf_free(&text);
    buf_free(&quick);
    buf_free(&slow);
    if (!same)
      break;
  }
  CHECK(events > 100000); /* it is not errors that were compared */
}

/* What the first line of each kind has shown is read at once from then on. */
TEST(usual_lines_are_read_the_quick_way) {
  static const char text[] =
      "\n{\"type\":\"call\",\"process\":1,\"name\":\"enq\",\"args\":[5]}"
      "\n{\"type\":\"return\",\"process\":1,\"result\":true}"
      "\n{\"type\": \"call\", \"process\": 1, \"name\": \"enq\", "
      "\"args\": [5, null]}"
      "\n{\"type\": \"return\", \"process\": 1}";
  struct error e = {0};
  struct log_event ev;
  struct reader *r = reader_of_text(text, sizeof text - 1, "x", READ_JSONL, &e);
  CHECK(!jsonl_quick(r, &ev)); /* the process and the name are new */
  CHECK_INT(reader_next(r, &ev, &e), 1);
  for (int i = 0; i < 3; i++)
    CHECK(jsonl_quick(r, &ev));
  CHECK_INT(ev.kind, LOG_OK);
  CHECK_INT(ev.line, 5);
  CHECK_INT(reader_next(r, &ev, &e), 0);
  reader_close(r);
}

TEST_MAIN
