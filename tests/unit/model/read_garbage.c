/*
 * Readers meet everything: random bytes, and mutations of good texts.  They
 * must not crash, must say something when they refuse, and what they accept
 * must print as a text that reads as the same.
 */
#include "base/rng.h"
#include "model/client.h"
#include "model/schedule.h"
#include "test.h"

#include <stdlib.h>

static const char *const good_clients[] = {
    "push(1); {push(2)} || {pop(); pop()}; pop()",
    "{list::add(1, -2)} || {list::add(0x7f, true)} || {pop()}",
    "push(1) || pop(); pop()",
    "a<b, c>(); {}; pop(); pop()",
};

static const char *const good_schedules[] = {
    "faultline-schedule 1\nobject: stack\nclient: push(1); {pop()}\n"
    "source: 9f86d0\noptions: heap=reuse\nsteps: T2*3 T1*1 !1 T2*2\n",
    "# c\nfaultline-schedule 1\n\nsteps: T0*4294967295 T0*4294967295 T0\r\n"
    "steps: !255 !0\n",
};

static const char *const words[] = {"push",       "pop",
                                    "list::add",  "a<b, c>",
                                    "(",          ")",
                                    "()",         "{",
                                    "}",          "||",
                                    "|",          ";",
                                    ",",          "-",
                                    "0x",         "1",
                                    "99",         "true",
                                    "false",      " ",
                                    "\n",         "steps",
                                    "steps:",     ":",
                                    "T1",         "*",
                                    "!",          "T31*1",
                                    "#",          "object: x",
                                    "\r",         "\xc3\xa4",
                                    "\xff",       "9223372036854775808",
                                    "4294967296", "client:",
                                    "\t"};

static void put_random(struct buf *b, struct rng *r) {
  switch (rng_below(r, 3)) {
  case 0:
    buf_putc(b, (char)rng_below(r, 256));
    break;
  case 1:
    buf_putc(b, (char)(32 + rng_below(r, 95)));
    break;
  default:
    buf_puts(b, words[rng_below(r, sizeof words / sizeof *words)]);
  }
}

/* Copies `text` with a few places dropped, doubled, replaced or filled. */
static void mutate(struct buf *b, const char *text, struct rng *r) {
  size_t n = strlen(text);
  uint64_t rate = 2 + rng_below(r, n);
  for (size_t i = 0; i < n; i++) {
    if (rng_below(r, rate)) {
      buf_putc(b, text[i]);
      continue;
    }
    uint64_t what = rng_below(r, 4);
    if (what == 1)
      buf_put(b, text, i + 1); /* all so far once more */
    else if (what == 2)
      put_random(b, r);
    else if (what == 3)
      i = (size_t)rng_below(r, n); /* go on elsewhere */
    if (b->len > 4000)
      return;
  }
}

static void make(struct buf *b, const char *const *good, size_t ngood,
                 struct rng *r) {
  buf_clear(b);
  if (rng_below(r, 4)) {
    mutate(b, good[rng_below(r, ngood)], r);
    return;
  }
  for (uint64_t n = rng_below(r, 30); n > 0; n--)
    put_random(b, r);
}

static const char *const names_list[] = {"push", "pop", "list::add", "a<b, c>"};
static const struct op_names names = {names_list, 4};
static const uint8_t nargs[] = {1, 0, 2, 0};

TEST(garbage_for_clients) {
  struct rng r = {2024};
  struct buf b = {0}, out = {0}, again = {0};
  unsigned accepted = 0, refused = 0;
  for (int i = 0; i < 40000; i++) {
    make(&b, good_clients, 4, &r);
    struct client c, d;
    struct error e = {0};
    if (client_read(&c, buf_text(&b), &names, nargs, &e)) {
      refused++;
      CHECK(e.code == ERR_USAGE && strstr(e.text, "client, column "));
      CHECK(strstr(e.text, "operations: push(_), pop()"));
      CHECK(c.calls == NULL);
      continue;
    }
    accepted++;
    CHECK_INT(e.code, 0);
    client_check_invariants(&c);
    buf_clear(&out);
    client_print(&c, &names, &out);
    if (CHECK_INT(client_read(&d, buf_text(&out), &names, nargs, &e), 0)) {
      CHECK(client_equal(&c, &d));
      buf_clear(&again);
      client_print(&d, &names, &again);
      CHECK_STR(buf_text(&again), buf_text(&out));
    }
    client_free(&c);
    client_free(&d);
  }
  CHECK(accepted > 1000 && refused > 1000);
  buf_free(&b);
  buf_free(&out);
  buf_free(&again);
}

TEST(garbage_for_schedules) {
  struct rng r = {2025};
  struct buf b = {0}, out = {0};
  unsigned accepted = 0, refused = 0;
  for (int i = 0; i < 40000; i++) {
    make(&b, good_schedules, 2, &r);
    struct schedule s, t;
    struct error e = {0};
    if (schedule_parse(&s, &b, "f", &e)) {
      refused++;
      CHECK(e.code == ERR_INPUT && strncmp(e.text, "f:", 2) == 0);
      CHECK(s.turns.at == NULL && s.object == NULL);
      continue;
    }
    accepted++;
    buf_clear(&out);
    schedule_print(&s, &out);
    if (CHECK_INT(schedule_parse(&t, &out, "f", &e), 0))
      CHECK(schedule_equal(&s, &t));
    schedule_free(&s);
    schedule_free(&t);
  }
  CHECK(accepted > 1000 && refused > 1000);
  buf_free(&b);
  buf_free(&out);
}

/* Printing then reading, from the other side: any client, not any text. */
TEST(random_clients_survive_print_and_read) {
  struct rng r = {7};
  struct buf out = {0};
  for (int i = 0; i < 5000; i++) {
    struct client c = {0}, d;
    uint64_t init = rng_below(&r, 3), threads = rng_below(&r, 5);
    uint64_t final = rng_below(&r, 3);
    if (!init && !threads && !final)
      continue;
    for (uint64_t part = 0; part < init + threads + final; part++)
      for (uint64_t n =
               1 +
               (part >= init && part < init + threads ? rng_below(&r, 3) : 0);
           n > 0; n--) {
        struct call call = {.op = (uint16_t)rng_below(&r, 4)};
        call.nargs = nargs[call.op];
        for (int k = 0; k < call.nargs; k++)
          call.args[k] = (int64_t)(rng_next(&r) >> rng_below(&r, 64));
        if (part < init)
          client_add_init(&c, call);
        else if (part < init + threads)
          client_add(&c, (uint32_t)(part - init + 1), call);
        else
          client_add_final(&c, call);
      }
    buf_clear(&out);
    client_print(&c, &names, &out);
    struct error e = {0};
    if (CHECK_INT(client_read(&d, buf_text(&out), &names, nargs, &e), 0))
      CHECK(client_equal(&c, &d));
    client_free(&c);
    client_free(&d);
  }
  buf_free(&out);
}

TEST_MAIN
