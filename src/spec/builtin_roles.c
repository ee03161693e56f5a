/*
 * The roles that FL_SPEC can give: by what names, as which operation of the
 * type, and what they return.
 */
#include "spec/builtin.h"

#define CONTAINER_ROLES                                                        \
  {"size length count", "size", RESULT_NUMBER},                                \
      {"drain pop_all take_all remove_all", "clear", RESULT_ALL},              \
      {"is_empty", "isempty", RESULT_FLAG}, {"clear", "clear", RESULT_STATUS}, \
  {                                                                            \
    0                                                                          \
  }

static const struct spec_role stack_roles[] = {
    {"push try_push", "push", RESULT_STATUS, .data = 1},
    {"pop try_pop", "pop", RESULT_DATA},
    {"top peek", "top", RESULT_DATA},
    CONTAINER_ROLES};

static const struct spec_role queue_roles[] = {
    {"enqueue enq push put add offer try_enqueue try_push", "enqueue",
     RESULT_STATUS, .data = 1},
    {"dequeue deq pop take poll remove try_dequeue try_pop", "dequeue",
     RESULT_DATA},
    {"front peek head", "front", RESULT_DATA},
    CONTAINER_ROLES};

/* With the names of the work-stealing deque: the owner works on the right. */
static const struct spec_role deque_roles[] = {
    {"push_left push_front add_first", "pushfront", RESULT_STATUS, .data = 1},
    {"push_right push_back add_last push_bottom", "pushback", RESULT_STATUS,
     .data = 1},
    {"pop_left pop_front remove_first steal", "popfront", RESULT_DATA},
    {"pop_right pop_back remove_last pop_bottom take", "popback", RESULT_DATA},
    {"left front peek_left", "peekfront", RESULT_DATA},
    {"right back peek_right", "peekback", RESULT_DATA},
    CONTAINER_ROLES};

static const struct spec_role set_roles[] = {
    {"add insert put", "add", RESULT_FLAG},
    {"remove delete erase", "remove", RESULT_FLAG},
    {"contains find lookup member has", "contains", RESULT_FLAG},
    {"count_range", "size", RESULT_RANGE},
    CONTAINER_ROLES};

static const struct spec_role map_roles[] = {
    {"put set", "put", RESULT_FLAG, .data = 2},
    {"put_if_absent insert add", "putifabsent", RESULT_FLAG, .data = 2},
    {"replace update", "replace", RESULT_FLAG, .data = 2},
    {"exchange", "exchange", RESULT_DATA, .data = 2},
    {"get find lookup", "get", RESULT_DATA},
    {"remove delete erase", "remove", RESULT_FLAG},
    {"take", "take", RESULT_DATA},
    {"contains has member", "contains", RESULT_FLAG},
    {"cas compare_and_set compare_and_swap", "cas", RESULT_FLAG,
     .compares = true},
    {"get_or_add get_or_put compute_if_absent", "getoradd", RESULT_DATA,
     .data = 2, .total = true},
    {"count_range", "size", RESULT_RANGE},
    CONTAINER_ROLES};

static const struct spec_role register_roles[] = {
    {"read get load", "read", RESULT_DATA},
    {"write set store put", "write", RESULT_STATUS, .data = 1},
    {"exchange swap", "exchange", RESULT_DATA, .data = 1},
    {"cas compare_and_set compare_and_swap", "cas", RESULT_FLAG,
     .compares = true},
    {"cas_fetch", "casfetch", RESULT_DATA, .compares = true},
    {0}};

/* Up and down by one, and by the argument. */
#define CHANGES(up, down, up_by, down_by, op, result)                          \
  {up, op, result, .implies = IMPLIES_ONE},                                    \
      {down, op, result, .implies = IMPLIES_ONE, .negates = true},             \
      {up_by, op, result}, {                                                   \
    down_by, op, result, .negates = true                                       \
  }

/* A number that wraps like the type that the operations return. */
static const struct spec_role counter_roles[] = {
    CHANGES("inc increment", "dec decrement", "add", "sub", "add",
            RESULT_STATUS),
    CHANGES("fetch_inc", "fetch_dec", "fetch_add", "fetch_sub", "fetchadd",
            RESULT_NUMBER),
    CHANGES("inc_fetch", "dec_fetch", "add_fetch", "sub_fetch", "addfetch",
            RESULT_NUMBER),
    {"get read load value", "get", RESULT_NUMBER},
    {"reset", "reset", RESULT_STATUS, .implies = IMPLIES_INITIAL},
    {0}};

static const struct spec_role pqueue_roles[] = {
    {"insert add push put enqueue", "insert", RESULT_STATUS},
    {"remove_min pop_min pop dequeue try_pop", "deletemin", RESULT_DATA},
    {"min peek top front", "findmin", RESULT_DATA},
    {"remove_max pop_max", "deletemax", RESULT_DATA},
    {"max", "findmax", RESULT_DATA},
    CONTAINER_ROLES};

const struct builtin_type builtin_stack = {stack_roles, stack_defs, open_stack};
const struct builtin_type builtin_queue = {queue_roles, queue_defs, open_queue};
const struct builtin_type builtin_deque = {deque_roles, deque_defs, open_deque};
const struct builtin_type builtin_set = {set_roles, set_defs, open_set};
const struct builtin_type builtin_map = {map_roles, map_defs, open_map};
const struct builtin_type builtin_register = {register_roles, c_register_defs,
                                              open_cas_register, true};
const struct builtin_type builtin_counter = {counter_roles, counter_defs,
                                             open_counter, true};
const struct builtin_type builtin_pqueue = {pqueue_roles, pqueue_defs,
                                            open_pqueue};
