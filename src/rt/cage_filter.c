/*
 * The kernel's filter: the rules of the cage as a program of seccomp's, which
 * lets the engine's own calls pass (C3).
 */
#include "rt/cage_int.h"
#include "rt/port.h"

#include <assert.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

enum { MOST_CODE = 1024 };
struct program {
  struct sock_filter at[MOST_CODE];
  unsigned short len;
};

static void emit(struct program *p, uint16_t code, uint32_t k, uint8_t yes,
                 uint8_t no) {
  assert(p->len < MOST_CODE);
  p->at[p->len++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct program *p, size_t offset) {
  emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void give(struct program *p, uint32_t result) {
  emit(p, BPF_RET | BPF_K, result, 0, 0);
}

/* Our own calls pass, others are refused. */
static void give_refusal(struct program *p) {
  uint64_t door = (uint64_t)(uintptr_t)fl__door_end;
  size_t at = offsetof(struct seccomp_data, instruction_pointer);
  load(p, at);
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)door, 0, 3);
  load(p, at + 4);
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(door >> 32), 0, 1);
  give(p, SECCOMP_RET_ALLOW);
  give(p, SECCOMP_RET_TRAP);
}

/* So many instructions are between a rule's conditions and what is behind it.
 */
enum { REFUSAL = 6 };

static void add_condition(struct program *p, const struct rule *r,
                          uint32_t value, uint8_t past) {
  static const uint16_t test[] = {[IS] = BPF_JEQ,
                                  [IS_NOT] = BPF_JEQ,
                                  [BELOW] = BPF_JGT,
                                  [HAS_NOT] = BPF_JSET};
  bool yes = r->when == IS;
  size_t at = offsetof(struct seccomp_data, args) + 8 * r->argument;
  if (r->when == GIVEN) { /* both halves of a pointer */
    load(p, at);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 2);
    load(p, at + 4);
    emit(p, BPF_JMP | BPF_JEQ | BPF_K, 0, past, 0);
    return;
  }
  load(p, at);
  emit(p, BPF_JMP | test[r->when] | BPF_K, value, yes ? 0 : past,
       yes ? past : 0);
}

static void add_rule(struct program *p, const struct rule *r, uint32_t value) {
  static const uint8_t length[] = {[ALWAYS] = 0, [IS] = 2,      [IS_NOT] = 2,
                                   [BELOW] = 2,  [HAS_NOT] = 2, [GIVEN] = 4};
  uint8_t body = r->why ? REFUSAL : 1;
  load(p, offsetof(struct seccomp_data, nr));
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, r->number, 0,
       (uint8_t)(length[r->when] + body));
  if (r->when != ALWAYS)
    add_condition(p, r, value, body);
  if (r->why)
    give_refusal(p);
  else
    give(p, SECCOMP_RET_ERRNO | r->value);
}

/* Other ways to make system calls have other numbers. */
static void add_head(struct program *p) {
  load(p, offsetof(struct seccomp_data, arch));
  emit(p, BPF_JMP | BPF_JEQ | BPF_K, PORT_AUDIT_ARCH, 1, 0);
  give(p, SECCOMP_RET_TRAP);
  load(p, offsetof(struct seccomp_data, nr));
  emit(p, BPF_JMP | BPF_JGE | BPF_K, PORT_OTHER_CALLS, 0, 1);
  give(p, SECCOMP_RET_TRAP);
}

bool fl__cage_filter(const struct rule_list *rules) {
  static struct program p;
  p.len = 0;
  add_head(&p);
  for (size_t i = 0; i < rules->n; i++)
    add_rule(&p, &rules->at[i], fl__rule_value(&rules->at[i]));
  give(&p, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {p.len, p.at};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
         !cage_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program, 0,
                    0);
}
