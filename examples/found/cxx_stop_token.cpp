/*
 * std::stop_source and std::stop_callback of GCC 12: a callback is destroyed
 * while another thread runs it.
 *
 * Faultline: no fault.
 *
 * PACKAGE: libstdc++-12-dev
 * RUN: %s -- -std=c++20
 * EXIT: 0
 * VERDICT: pass
 */
#include <faultline.h>

#include <stop_token>

struct stop {
  std::stop_source source;
  std::stop_token token = source.get_token();
};
static stop *make() { return new stop; }
static void drop(stop *s) { delete s; }
static bool request(stop *s) { return s->source.request_stop(); }
static bool requested(stop *s) { return s->token.stop_requested(); }
static int watch(stop *s) {
  int runs = 0;
  {
    std::stop_callback callback(s->token, [&runs] { runs++; });
  }
  return runs;
}

FL_OBJECT(stop, make, drop)
FL_OP(bool, request)
FL_OP(bool, requested)
FL_OP(int, watch)
