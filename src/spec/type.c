/*
 * The list of types for recorded histories, and how one is found.
 */
#include "spec/type_int.h"

#include "base/opt.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Other names of a type are separated by spaces.  The operations are the main
 * names; docs/specs.md has the others. */
struct listed_type {
  const char *name, *aliases;
  type_opener *open;
  const struct op_def *defs; /* for type_guess; NULL: never guessed */
  bool by_key;
  const char *operations, *meaning;
};

/* For type_guess, the more modest of two types that both fit comes first. */
#define TYPES(_)                                                               \
  _("register", "", open_register, register_defs, false, "read write",         \
    "one value, nil at first, or the argument")                                \
  _("cas-register", "", open_cas_register, cas_register_defs, false,           \
    "read write cas(old, new) exchange",                                       \
    "a register with compare-and-set; one that failed saw another value")      \
  _("registers", "", open_register, register_defs, true,                       \
    "read(key) write(key, value)", "a register for each key")                  \
  _("cas-registers", "", open_cas_register, cas_register_defs, true,           \
    "read(key) write(key, value) cas(key, old, new) exchange(key, value)",     \
    "a cas-register for each key")                                             \
  _("kv", "key-value map", open_kv_cell, kv_cell_defs, true,                   \
    "get(key) put(key, value) append(key, text) cas(key, old, new) "           \
    "delete(key)",                                                             \
    "texts by key; a key that is not there reads as nil or as the empty text") \
  _("list-append", "", open_list_cell, list_cell_defs, true,                   \
    "read(key) append(key, value)",                                            \
    "a list for each key, which grows at its end and is read whole")           \
  _("counter", "", open_counter, counter_defs, false,                          \
    "get inc dec add(n) sub(n) fetch_inc fetch_dec fetch_add(n) fetch_sub(n) " \
    "inc_fetch dec_fetch add_fetch(n) sub_fetch(n) reset(n)",                  \
    "a number, 0 at first, or the argument; inc, dec, add and sub return "     \
    "nothing or the new value, fetch_… the old one, …_fetch the new one")      \
  _("queue", "fifo fifo-queue", open_queue, queue_defs, false,                 \
    "enqueue(v) dequeue front size isEmpty clear contains(v) toArray drain",   \
    "first in, first out; the argument, if any, is the capacity")              \
  _("bounded-queue", "", open_bounded_queue, NULL, false,                      \
    "enqueue(v) dequeue front size isEmpty clear contains(v) toArray drain",   \
    "a queue of the capacity that the argument says: enqueue waits or "        \
    "returns false when it is full")                                           \
  _("stack", "", open_stack, stack_defs, false,                                \
    "push(v) pop top size isEmpty clear contains(v) toArray drain",            \
    "last in, first out; the argument, if any, is the capacity")               \
  _("deque", "", open_deque, deque_defs, false,                                \
    "pushFront(v) pushBack(v) popFront popBack peekFront peekBack size "       \
    "isEmpty clear contains(v) toArray drain",                                 \
    "a queue with two ends; the argument, if any, is the capacity")            \
  _("pqueue", "priority-queue min-pqueue", open_pqueue, pqueue_defs, false,    \
    "insert(v, priority) deleteMin findMin deleteMax findMax size isEmpty "    \
    "clear toArray",                                                           \
    "the smallest priority comes first; without one the value is its own "     \
    "priority, and of equal priorities any may come")                          \
  _("max-pqueue", "", open_max_pqueue, max_pqueue_defs, false,                 \
    "insert(v, priority) deleteMax findMax deleteMin findMin size isEmpty "    \
    "clear toArray",                                                           \
    "the same with the largest priority first")                                \
  _("set", "", open_set, set_defs, false,                                      \
    "add(v) remove(v) contains(v) size isEmpty clear read",                    \
    "add and remove tell whether they changed it; read returns all of it")     \
  _("multiset", "bag", open_multiset, NULL, false,                             \
    "add(v) remove(v) contains(v) count(v) size isEmpty clear read",           \
    "a set with repetitions")                                                  \
  _("lock", "", open_lock, lock_defs, false, "acquire release isLocked",       \
    "held by the process that acquired it, which alone releases it; acquire "  \
    "waits or returns false")                                                  \
  _("mutex", "", open_mutex, NULL, false, "acquire release isLocked",          \
    "a lock that any process may release")                                     \
  _("snapshot", "", open_snapshot, snapshot_defs, false,                       \
    "update(i, value) scan read(i)",                                           \
    "segments, written singly and scanned at once; the argument is how many, " \
    "or a list of their first values")                                         \
  JUC_TYPES(_)

#define JUC_COLLECTION                                                         \
  "contains(v) addAll(c) removeAll(c) retainAll(c) containsAll(c) clear "      \
  "isEmpty size toArray toString"
#define JUC_QUEUE "offer(v) poll peek remove(v) " JUC_COLLECTION
#define JUC_DEQUE                                                              \
  JUC_QUEUE " offerFirst(v) offerLast(v) addFirst(v) addLast(v) pollFirst "    \
            "pollLast peekFirst peekLast removeFirst removeLast getFirst "     \
            "getLast removeFirstOccurrence(v) removeLastOccurrence(v)"
#define JUC_MAP                                                                \
  "get(k) put(k, v) remove(k) containsKey(k) containsValue(v) putAll(m) "      \
  "clear entrySet keySet values isEmpty size toString"
#define JUC_TYPES(_)                                                           \
  _("ArrayBlockingQueue", "ABQ", open_juc_queue, NULL, false,                  \
    JUC_QUEUE " remainingCapacity",                                            \
    "of java.util.concurrent; the argument is the capacity")                   \
  _("LinkedBlockingQueue", "LBQ", open_juc_queue, NULL, false,                 \
    JUC_QUEUE " remainingCapacity", "of java.util.concurrent")                 \
  _("PriorityBlockingQueue", "PBQ", open_juc_pbq, NULL, false,                 \
    JUC_QUEUE " remainingCapacity",                                            \
    "of java.util.concurrent; shown as the array of its heap")                 \
  _("ConcurrentLinkedQueue", "CLQ", open_juc_queue, NULL, false, JUC_QUEUE,    \
    "of java.util.concurrent")                                                 \
  _("LinkedTransferQueue", "LTQ", open_juc_queue, NULL, false, JUC_QUEUE,      \
    "of java.util.concurrent")                                                 \
  _("ConcurrentLinkedDeque", "CLD", open_juc_queue, NULL, false, JUC_DEQUE,    \
    "of java.util.concurrent")                                                 \
  _("LinkedBlockingDeque", "LBD", open_juc_queue, NULL, false,                 \
    JUC_DEQUE " remainingCapacity", "of java.util.concurrent")                 \
  _("ConcurrentHashMap", "CHM", open_juc_map, NULL, false,                     \
    JUC_MAP " contains(v) keys elements mappingCount",                         \
    "of java.util.concurrent; keys in ascending order, as small ones are")     \
  _("ConcurrentSkipListMap", "CSLM", open_juc_map, NULL, false,                \
    JUC_MAP " ceilingKey(k) floorKey(k) higherKey(k) lowerKey(k) firstKey "    \
            "lastKey pollFirstEntry pollLastEntry headMap(k) tailMap(k) "      \
            "subMap(from, to)",                                                \
    "of java.util.concurrent")                                                 \
  _("ConcurrentSkipListSet", "CSLS", open_juc_set, NULL, false,                \
    "add(v) remove(v) " JUC_COLLECTION " ceiling(v) floor(v) higher(v) "       \
    "lower(v) first last pollFirst pollLast headSet(v) tailSet(v) "            \
    "subSet(from, to)",                                                        \
    "of java.util.concurrent")

#define KIND(name, aliases, open, defs, by_key, operations, meaning)           \
  {name, aliases, open, defs, by_key, operations, meaning},
static const struct listed_type kinds[] = {TYPES(KIND){0}};

#define INFO(name, aliases, open, defs, by_key, operations, meaning)           \
  {name, operations, meaning},
const struct type_info type_infos[] = {TYPES(INFO){0}};

/* Whether `name` is one of the words of `names`. */
static bool is_among(const char *names, const char *name) {
  size_t len = strlen(name), word;
  for (; *names; names += word, names += strspn(names, " ")) {
    word = strcspn(names, " ");
    if (word == len && !strncasecmp(names, name, len))
      return true;
  }
  return false;
}

static const struct listed_type *find_kind(const char *name) {
  const char *java = "java.util.concurrent.";
  if (begins(name, java))
    name += strlen(java);
  for (const struct listed_type *k = kinds; k->name; k++)
    if (!strcasecmp(k->name, name) || is_among(k->aliases, name))
      return k;
  return NULL;
}

static struct type *open_kind(const struct listed_type *k, datum argument,
                              struct error *e) {
  struct type *t = k->open(k->name, argument, e);
  return t && k->by_key ? type_by_key(k->name, t) : t;
}

/* keyed-queue: a queue for each key. */
static struct type *open_keyed(const char *name, datum argument,
                               struct error *e) {
  const struct listed_type *k = find_kind(name + strlen("keyed-"));
  struct type *t = k && !k->by_key ? k->open(k->name, argument, e) : NULL;
  return t ? type_by_key(name, t) : NULL;
}

/* "; did you mean queue?", or else all types. */
static void put_kinds(const char *name, struct buf *out) {
  struct opt_words names = {0};
  for (const struct listed_type *k = kinds; k->name; k++)
    vec_push(&names, k->name);
  vec_push(&names, NULL);
  const char *near = opt_nearest(name, names.at);
  if (near)
    buf_printf(out, "; did you mean %s?", near);
  for (uint32_t i = 0; !near && names.at[i]; i++)
    buf_printf(out, "%s%s", i ? ", " : ": there are ", names.at[i]);
  if (!near)
    buf_puts(out, "; keyed-T for a T by key, and shared objects (./mine.so)");
  vec_free(&names);
}

struct type *type_open(const char *name, datum argument, struct error *e) {
  struct type *t = NULL;
  const struct listed_type *k = find_kind(name);
  size_t len = strlen(name);
  if (k)
    t = open_kind(k, argument, e);
  else if (strchr(name, '/') || (len > 3 && !strcmp(name + len - 3, ".so")))
    t = type_of_object(name, argument, e);
  else if (begins(name, "keyed-"))
    t = open_keyed(name, argument, e);
  if (t || e->code)
    return t;
  struct buf b = {0};
  put_kinds(name, &b);
  error_set(e, ERR_USAGE, "there is no type '%.80s' for histories%s", name,
            buf_text(&b));
  buf_free(&b);
  return NULL;
}

void type_free(struct type *t) {
  if (t)
    t->free(t);
}

/* How many operations are looked at to tell their type. */
enum { GUESS_OPS = 2000 };

static bool knows_names(const struct listed_type *k, const struct log *l,
                        bool characteristic) {
  for (uint32_t i = 0; i < l->functions.len; i++)
    if (!known_find(k->defs, l->functions.at[i], characteristic))
      return false;
  return true;
}

static bool understands(const struct listed_type *k, const struct log *l) {
  struct error e = {0};
  struct type *t = open_kind(k, l->type_argument, &e);
  bool all = t != NULL;
  for (uint32_t i = 0; all && i < l->ops.len && i < GUESS_OPS; i++) {
    struct log_op from = l->ops.at[i];
    struct type_op op;
    if (from.pairs && !k->by_key)
      log_op_join_pairs(&from);
    all = !t->prepare(t, l, &from, &op, &e);
  }
  type_free(t);
  return all;
}

/* Types that differ only in operations which the history does not have: the
 * tables of the larger ones extend those of the smaller. */
static bool same_family(const struct listed_type *a,
                        const struct listed_type *b) {
  static const struct op_def *const families[][3] = {
      {register_defs, cas_register_defs},
      {pqueue_defs, max_pqueue_defs},
  };
  for (size_t i = 0; i < sizeof families / sizeof *families; i++)
    for (int j = 0; j < 2; j++)
      if (families[i][j] == a->defs && families[i][!j] == b->defs)
        return a->by_key == b->by_key;
  return false;
}

static bool is_known(const char *function) {
  for (const struct listed_type *k = kinds; k->name; k++)
    if (k->defs && known_find(k->defs, function, false))
      return true;
  return false;
}

/* Which operation it is that no type has, or that all are somebody's. */
static void refuse_names(const struct log *l, struct error *e) {
  for (uint32_t i = 0; i < l->ops.len; i++) {
    const char *name = l->functions.at[l->ops.at[i].f];
    if (is_known(name))
      continue;
    type_refuse(e, l, &l->ops.at[i],
                "no type has all of the history's operations, and none has "
                "'%.60s': name the type (--spec)",
                name);
    return;
  }
  error_set(
      e, ERR_INPUT,
      "no type has all of the history's operations: name the type (--spec)");
}

static bool has_pairs(const struct log *l) {
  for (uint32_t i = 0; i < l->ops.len && i < GUESS_OPS; i++)
    if (l->ops.at[i].pairs)
      return true;
  return false;
}

const char *type_guess(const struct log *l, struct error *e) {
  const struct listed_type *first = NULL;
  bool clear = true;
  struct buf fits = {0};
  /* Where [a b] can be a key and a value, it is that. */
  bool pairs = has_pairs(l);
  for (int way = 0; way < (pairs ? 4 : 2) && !first; way++)
    for (const struct listed_type *k = kinds; k->name; k++) {
      bool characteristic = way % 2 == 0;
      if (!k->defs || (pairs && k->by_key != (way < 2)) ||
          !knows_names(k, l, characteristic) || !understands(k, l))
        continue;
      buf_printf(&fits, "%s%s", first ? ", " : "", k->name);
      /* Generic names mean different things in either priority queue. */
      if (!first)
        first = k;
      else if (!same_family(first, k) ||
               (!characteristic && k->defs == max_pqueue_defs))
        clear = false;
    }
  if (first && !clear)
    error_set(e, ERR_INPUT,
              "the operations fit several types: %s; name one (--spec)",
              buf_text(&fits));
  else if (!first)
    refuse_names(l, e);
  buf_free(&fits);
  return first && clear ? first->name : NULL;
}
