/* The meaning of an entry of Jepsen: see jepsen.c. */
#ifndef HISTORY_READ_JEPSEN_H
#define HISTORY_READ_JEPSEN_H

#include "history/read/int.h"

enum jepsen_type { JEPSEN_INVOKE, JEPSEN_OK, JEPSEN_FAIL, JEPSEN_INFO };

/* A :value.  Histories are full of different pairs [key value] and [old new]:
 * no list is made of a pair that is taken apart at once. */
struct jepsen_value {
  datum whole; /* DATUM_NONE: there is none, as if it were nil */
  bool tuple;  /* tagged as a tuple of jepsen.independent */
  bool pair;   /* the value is two[0] and two[1]; `whole` was not made */
  datum two[2];
};

struct jepsen_entry {
  const char *at; /* where the form begins */
  bool has_process, has_type, has_name;
  int64_t process; /* -1: not a number: the nemesis */
  enum jepsen_type type;
  uint16_t name;
  uint32_t column; /* of the name */
  datum key;       /* DATUM_NONE: none */
  struct jepsen_value value;
  int64_t time, index; /* or NO_STAMP */
  uint64_t order;
};

/* Makes an entry an event.  jepsen_call and jepsen_return are for callers that
 * have paired the event already. */
int jepsen_event(struct reader *r, const struct jepsen_entry *in,
                 struct log_event *ev);
void jepsen_call(struct reader *r, struct reader_call *c, datum key,
                 const struct jepsen_value *v, struct log_event *ev);
void jepsen_return(struct reader *r, const struct reader_call *c,
                   const struct jepsen_value *v, struct log_event *ev);
/* Reads a :value in EDN. */
int jepsen_read_value(struct reader *r, struct jepsen_value *v);
enum name_kind jepsen_name_kind(const char *name);

#endif
