/*
 * Results made by hand, without an engine.  Program counters are line * 100 +
 * column of stack.c (of list.c from 100000 on), and addresses have names.
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 0x1000, ITEM = 0x1008, LOCK_A = 0x1100, LOCK_B = 0x1200 };
enum { NODE = 0x2000, OBJECT_NAMES = 3 };

struct fixture {
  struct result result;
  struct finding finding;
  struct event events[400];
  struct hop ops[32];
  struct block blocks[4];
  struct place places[4096];
  uint32_t nplaces;
  const char *file, *function, *location; /* given instead of the usual ones */
  uint64_t inlined_pc;  /* this one is of code that was inlined … */
  struct place outside; /* … there */
  /* of fixture_cause */
  struct code_block blocks_of[2];
  struct ranked_cause causes[8];
  struct event near_events[32];
  struct value near_results[8];
  struct story_namer namer;
  uint32_t step;
};

static const char *const fixture_ops[OBJECT_NAMES] = {"push", "pop", "get"};

static const struct place *fixture_place(void *ctx, uint64_t pc) {
  struct fixture *f = ctx;
  struct place *p = &f->places[f->nplaces++ % 4096];
  p->file = f->file ? f->file : pc >= 10000000 ? "src/list.c" : "stack.c";
  p->function = f->function;
  p->line = (uint32_t)(pc % 10000000 / 100);
  p->column = (uint32_t)(pc % 100);
  p->next = pc && pc == f->inlined_pc ? &f->outside : NULL;
  return p;
}

static void fixture_location(void *ctx, uint64_t addr, uint64_t size,
                             uint32_t at, struct buf *out) {
  struct fixture *f = ctx;
  (void)at;
  if (f->location)
    buf_puts(out, f->location);
  else if (addr == TOP)
    buf_puts(out, "s->top");
  else if (addr == ITEM)
    buf_puts(out, "s->items[0]");
  else if (addr == LOCK_A || addr == LOCK_B)
    buf_puts(out, addr == LOCK_A ? "a" : "b");
  else if (addr >= NODE && addr < NODE + 64)
    buf_printf(out, "node#%u%s", (unsigned)(addr - NODE) / 16 + 1,
               size == 16  ? ""
               : addr % 16 ? ".next"
                           : ".value");
  else
    buf_printf(out, "0x%llx", (unsigned long long)addr);
}

static void fixture_value(void *ctx, const struct event *e, uint64_t value,
                          uint32_t at, struct buf *out) {
  (void)ctx, (void)at;
  if (e->addr == NODE + 8 && value == 0)
    buf_puts(out, "NULL");
  else
    buf_printf(out, "%lld", (long long)value);
}

static void fixture_block(void *ctx, uint32_t block, struct buf *out) {
  struct fixture *f = ctx;
  fixture_location(f, f->blocks[block].base, 16, 0, out);
}

static inline struct fixture *fixture_new(const char *client,
                                          enum fault fault) {
  struct fixture *f = xcalloc(1, sizeof *f);
  static const uint8_t nargs[OBJECT_NAMES] = {1, 0, 0};
  struct error e = {0};
  struct result *r = &f->result;
  r->names = (struct op_names){fixture_ops, OBJECT_NAMES};
  if (*client &&
      client_read(&f->finding.client, client, &r->names, nargs, &e) != 0)
    die("%s", e.text);
  f->namer = (struct story_namer){f, fixture_place, fixture_location,
                                  fixture_value, fixture_block};
  f->finding.fault = fault;
  f->finding.trace.events = f->events;
  f->finding.trace.history =
      (struct history){&f->finding.client, f->ops, false};
  f->finding.trace.blocks = f->blocks;
  f->finding.block = UINT32_MAX;
  for (uint32_t i = 0; i < 32; i++)
    f->ops[i].call = f->ops[i].ret = HISTORY_PENDING;
  r->object = "stack";
  r->spec = xstrdup("stack");
  r->verdict = fault == FAULT_NONE               ? VERDICT_PASS
               : fault == FAULT_NOT_LINEARIZABLE ? VERDICT_VIOLATION
                                                 : VERDICT_ERROR;
  r->finding = fault == FAULT_NONE ? NULL : &f->finding;
  r->statistics.clients = 12;
  r->statistics.executions = 3021;
  r->coverage.sentence =
      xstrdup("all 11 clients up to 2x1 calls, every interleaving");
  r->seed = 1;
  r->criterion = "linearizability";
  r->search = "dfs";
  r->heap = "quarantine";
  r->memory_model = "sc";
  return f;
}

static inline void fixture_free(struct fixture *f) {
  struct result *r = &f->result;
  client_free(&f->finding.client);
  schedule_free(&f->finding.schedule);
  vec_free(&f->finding.waiting);
  for (uint32_t i = 0; i < f->finding.refutations.len; i++)
    vec_free(&f->finding.refutations.at[i].order);
  vec_free(&f->finding.refutations);
  free(f->finding.detail);
  free(r->spec);
  free(r->reason);
  free(r->coverage.sentence);
  free(r->coverage.limit);
  free(r->replay_command);
  free(f);
}

static inline struct event *add(struct fixture *f, enum event_kind kind,
                                uint8_t thread, uint32_t call, uint64_t pc,
                                uint64_t addr, uint64_t old, uint64_t value) {
  struct event *e = &f->events[f->finding.trace.nevents++];
  *e = (struct event){.kind = (uint8_t)kind,
                      .thread = thread,
                      .order = __ATOMIC_SEQ_CST,
                      .step = f->step++,
                      .call = call,
                      .pc = pc,
                      .addr = addr,
                      .size = addr ? 8 : 0,
                      .value = {value},
                      .old = {old}};
  return e;
}

static inline void add_call(struct fixture *f, uint32_t call) {
  uint8_t thread = f->finding.client.calls[call].thread;
  f->ops[call].call = f->step;
  add(f, EV_CALL, thread, call, 0, 0, 0, 0);
}

static inline void add_return(struct fixture *f, uint32_t call,
                              struct value result) {
  uint8_t thread = f->finding.client.calls[call].thread;
  f->ops[call].ret = f->step;
  f->ops[call].result = result;
  add(f, EV_RETURN, thread, call, 0, 0, 0, 0);
}

static inline void refute(struct fixture *f, const uint32_t *order, uint32_t n,
                          int64_t expected) {
  struct refutation r = {.expected = {VALUE_INT, (uint64_t)expected}};
  for (uint32_t i = 0; i < n; i++)
    vec_push(&r.order, order[i]);
  vec_push(&f->finding.refutations, r);
}

/* A text that is not changed, where a result owns it. */
#define TEXT(s) ((char *)(uintptr_t)(s))

#define VOID ((struct value){VALUE_VOID, 0})
#define INT(n) ((struct value){VALUE_INT, (uint64_t)(int64_t)(n)})

/*
 * push(1); {push(2)} || {pop()}; pop(): T2's pop() reads the top, T1 pushes,
 * then T2 takes what it saw before.
 */
static inline struct fixture *fixture_violation(void) {
  struct fixture *f = fixture_new("push(1); {push(2)} || {pop()}; pop()",
                                  FAULT_NOT_LINEARIZABLE);
  f->result.replay_command =
      xstrdup("faultline replay .faultline/stack-1.schedule examples/stack.c");
  f->finding.minimal_checked = true;
  add_call(f, 0);
  add(f, EV_WRITE, 0, 0, 1203, TOP, 0, 1);
  add_return(f, 0, VOID);
  add_call(f, 2);
  add(f, EV_ATOMIC_READ, 2, 2, 3111, TOP, 0, 1);
  add_call(f, 1);
  add(f, EV_RMW, 1, 1, 1203, TOP, 1, 2);
  add(f, EV_WRITE, 1, 1, 1305, ITEM, 0, 2);
  add_return(f, 1, VOID);
  add(f, EV_CAS, 2, 2, 3207, TOP, 2, 0);
  add_return(f, 2, INT(1));
  add_call(f, 3);
  add(f, EV_ATOMIC_READ, 0, 3, 3111, TOP, 0, 0);
  add_return(f, 3, INT(-1));
  refute(f, (uint32_t[]){0, 1, 2}, 3, 2);
  refute(f, (uint32_t[]){0, 2, 1, 3}, 4, 2);
  schedule_add_step(&f->finding.schedule, 2);
  schedule_add_step(&f->finding.schedule, 1);
  schedule_add_step(&f->finding.schedule, 1);
  schedule_add_step(&f->finding.schedule, 2);
  return f;
}

/*
 * The same with its cause: lines 31-32 of pop().  Its nearest good execution
 * has T2 make its cas before T1 begins push(2).
 */
static inline struct fixture *fixture_cause(void) {
  struct fixture *f = fixture_violation();
  struct finding *d = &f->finding;
  f->function = "pop";
  f->blocks_of[0] = (struct code_block){"stack.c", "pop", 31, 32};
  f->causes[0] = (struct ranked_cause){.cause = {f->blocks_of, 1},
                                       .rank = 1,
                                       .lines = 2,
                                       .tried = true,
                                       .enforced = true,
                                       .covered = TEXT("all of 20 clients"),
                                       .schedules = {7, 0, 20}};
  d->causes = (struct causes_found){.bad = 1,
                                    .good = 3,
                                    .complete = true,
                                    .schedules = {10, 2, 31},
                                    .at = f->causes,
                                    .len = 1};
  memcpy(f->near_events, f->events, 5 * sizeof *f->events);
  memcpy(f->near_events + 5, f->events + 9, 2 * sizeof *f->events);
  memcpy(f->near_events + 7, f->events + 5, 4 * sizeof *f->events);
  memcpy(f->near_events + 11, f->events + 11, 3 * sizeof *f->events);
  f->near_results[2] = INT(1);
  f->near_results[3] = INT(2);
  d->near = (struct neighbour){.found = true,
                               .event = 5,
                               .failing = 1,
                               .passing = 2,
                               .results = f->near_results};
  d->near.trace.events = f->near_events;
  d->near.trace.nevents = 14;
  return f;
}

/* The report's text; the caller frees it. */
static inline char *text_of(struct fixture *f, struct text_style style) {
  struct buf out = {0};
  struct story *s = story_new(&f->result, &f->namer);
  report_text(s, &style, &out);
  story_free(s);
  return out.at ? out.at : xstrdup("");
}

#endif
