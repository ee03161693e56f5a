/* The notation of clients. */
#define FUZZ_NAME "client"
#include "fuzz.h"

#include "model/client.h"

static const char *const name[] = {"push", "pop", "list::add", "a<b, c>", "p"};
static const uint8_t nargs[] = {1, 0, 2, 0, 3};
static const struct op_names names = {name, 5};

static void fuzz_one(const char *text, size_t len) {
  struct client c = {0}, again = {0};
  struct error e = {0};
  (void)len;
  if (client_read(&c, text, &names, nargs, &e)) {
    FUZZ_CHECK(e.code == ERR_USAGE && e.text[0]);
    FUZZ_CHECK(!c.ncalls && !c.nthreads && !c.calls);
    return;
  }
  client_check_invariants(&c);
  struct buf b = {0};
  client_print(&c, &names, &b);
  FUZZ_CHECK(!client_read(&again, buf_text(&b), &names, nargs, &e));
  FUZZ_CHECK(client_equal(&c, &again));
  for (uint32_t i = 0; i < c.ncalls && i < 4; i++) {
    struct client less = {0};
    client_without(&less, &c, i);
    client_check_invariants(&less);
    FUZZ_CHECK(less.ncalls + 1 == c.ncalls);
    client_free(&less);
  }
  buf_free(&b);
  client_free(&c);
  client_free(&again);
}
