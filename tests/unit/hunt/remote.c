#include "hunt/target.h"
#include "proc/pool_remote.h"
#include "proc/relay.h"
#include "rt/cage.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- orders and messages ---- */

static const struct settings some_settings = {.client = "a || b",
                                              .search = SEARCH_DPCT,
                                              .threads = 4,
                                              .time = 1.5,
                                              .seed = 77,
                                              .cc = "clang",
                                              .json = "x.json",
                                              .leaks = true};
static const uint32_t some_estimates[] = {3, 1, 4};

static struct call known_calls[] = {{.op = 1}, {.op = 4}};
static const struct client some_known[] = {{.calls = known_calls, .ncalls = 2},
                                           {.calls = known_calls, .ncalls = 1}};

static struct target some_order(void) {
  return (struct target){.settings = &some_settings,
                             .so = "/proc/self/exe",
                             .uses_tls = true,
                             .suite = 2,
                             .want_outcomes = true,
                             .partial = true,
                             .estimates = some_estimates,
                             .nestimates = 3,
                             .known = some_known,
                             .nknown = 2};
}

static bool same_file(const char *a, const char *b) {
  struct buf x = {0}, y = {0};
  struct error e = {0};
  bool same = !buf_read_file(&x, a, &e) && !buf_read_file(&y, b, &e) &&
              x.len == y.len && !memcmp(x.at, y.at, x.len);
  buf_free(&x);
  buf_free(&y);
  return same;
}

TEST(an_order_arrives_as_it_was_sent) {
  struct target sent = some_order();
  struct buf b = {0};
  struct error e = {0};
  CHECK_INT(target_write(&sent, &b, &e), 0);
  struct target *o = target_read(&b, &e);
  if (!CHECK(o != NULL))
    return;
  CHECK_STR(o->settings->client, "a || b");
  CHECK_STR(o->settings->object, NULL);
  CHECK_INT(o->settings->search, SEARCH_DPCT);
  CHECK_INT(o->settings->threads, 4);
  CHECK(o->settings->time == 1.5);
  CHECK_INT(o->settings->seed, 77);
  CHECK(o->settings->leaks);
  CHECK(!o->settings->cc && !o->settings->json); /* another machine's */
  CHECK(o->uses_tls && o->want_outcomes && o->partial && !o->program);
  CHECK_INT(o->suite, 2);
  CHECK_INT(o->nestimates, 3);
  CHECK(!memcmp(o->estimates, some_estimates, sizeof some_estimates));
  CHECK(same_file(o->so, sent.so));
  CHECK(!o->native);
  CHECK_INT(o->nknown, 2);
  CHECK(client_has_ops_of(&some_known[0], &o->known[0], 1));
  CHECK(!client_has_ops_of(&some_known[1], &o->known[0], 1));
  CHECK_INT(o->known[1].ncalls, 1);
  target_free(o);
  buf_free(&b);
}

TEST(a_garbled_order_is_refused) {
  struct target sent = some_order();
  sent.so = "/proc/self/cmdline"; /* short */
  struct buf b = {0};
  struct error e = {0};
  CHECK_INT(target_write(&sent, &b, &e), 0);
  for (size_t n = 0; n < b.len; n++) {
    struct buf part = {.at = b.at, .len = n};
    struct error why = {0};
    if (!CHECK(!target_read(&part, &why)) || !CHECK(why.code != 0))
      break;
  }
  b.at[9]++; /* of the version */
  CHECK(!target_read(&b, &e));
  CHECK_HAS(e.text, "same build");
  buf_free(&b);
}

TEST(an_object_that_cannot_be_read_is_told) {
  struct target sent = some_order();
  sent.so = "/nowhere/x.so";
  struct buf b = {0};
  struct error e = {0};
  CHECK_INT(target_write(&sent, &b, &e), ERR_INPUT);
  CHECK_HAS(e.text, "/nowhere/x.so");
  buf_free(&b);
}

TEST(a_message_arrives_as_it_was_sent) {
  char path[] = {1, 2, 0, 2};
  struct pool_message sent = {.news = POOL_DIED,
                              .answer = {.at = (char[]){"abc"}, .len = 3},
                              .error = {.code = ERR_BUILD, .text = "no"},
                              .death = {.status = 0x8b,
                                        .known = true,
                                        .client = (char[]){"a || b"},
                                        .path = (uint8_t *)path,
                                        .len = 4,
                                        .only_choices = true,
                                        .clients = 5,
                                        .executions = 6}};
  struct buf b = {0};
  message_write(&sent, &b);
  for (size_t n = 0; n <= b.len; n++) {
    struct wire w = {.at = b.at, .len = n};
    struct pool_message m = {0};
    CHECK_INT(message_read(&m, &w), n == b.len);
    if (n == b.len) {
      CHECK_INT(m.news, POOL_DIED);
      CHECK_STR(buf_text(&m.answer), "abc");
      CHECK_INT(m.error.code, ERR_BUILD);
      CHECK_STR(m.error.text, "no");
      CHECK_INT(m.death.status, 0x8b);
      CHECK(m.death.known && m.death.only_choices);
      CHECK_STR(m.death.client, "a || b");
      CHECK_INT(m.death.len, 4);
      CHECK(!memcmp(m.death.path, path, 4));
      CHECK_INT(m.death.clients, 5);
      CHECK_INT(m.death.executions, 6);
    }
    message_clear(&m);
  }
  buf_free(&b);
}

/* ---- a cluster without MPI: a process that relays, and servers ---- */

enum { RANKS = 3 };

/* Whatever a sanitizer thinks of it. */
static void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static int open_it(void *arg, struct work *s) {
  const struct target *o = arg;
  if (o->suite == 99)
    return error_set(&s->error, ERR_BUILD, "no such suite");
  return ERR_NONE;
}

static int do_item(void *arg, struct work *s, const struct buf *item,
                   struct buf *answer) {
  const struct target *o = arg;
  switch (item->len ? item->at[0] : 0) {
  case 'c':
    board_write(s->board, "push(1) || pop()", 7, 11);
    die_of(SIGSEGV);
    break;
  case 'l':
    for (;;)
      s->shared->heartbeat++;
  case 'b':
    for (int i = 0; i < 5000000; i++)
      buf_put(answer, &i, sizeof i);
    break;
  case 'k': /* the server */
    cage_kill(getppid(), SIGKILL);
    for (;;)
      pause();
  case 'r': /* the relay, which is the parent of the server's parent */
    cage_kill((pid_t)atoi(item->at + 1), SIGKILL);
    for (;;)
      s->shared->heartbeat++;
  }
  buf_printf(answer, "%s of %u with %s", buf_text(item), o->suite,
             o->settings->client);
  return ERR_NONE;
}

static struct pool_job job(const struct target *o) {
  return (struct pool_job){.open = open_it,
                           .item = do_item,
                           .arg = (void *)o,
                           .travel = &target_travel};
}

/* Brings the frames that one side sent to where they go. */
static bool relay_from(int from, uint32_t rank, const int *fd) {
  struct frame_in in = {0};
  if (!frame_receive(&in, from))
    return false;
  int to = fd[rank ? 0 : in.head.tag.slot];
  frame_send(to, in.head.tag, in.body.at, in.body.len);
  frame_in_free(&in);
  return true;
}

static void relay(int *fd) {
  for (;;) {
    struct pollfd p[RANKS];
    for (int i = 0; i < RANKS; i++)
      p[i] = (struct pollfd){fd[i], POLLIN, 0};
    poll(p, RANKS, -1);
    for (uint32_t i = 0; i < RANKS; i++) {
      if (!p[i].revents || relay_from(fd[i], i, fd))
        continue;
      if (!i)
        _exit(0); /* the session's end is the end of all */
      frame_send(fd[0], (struct frame_tag){RELAY_LOST, i, 0}, "node", 4);
      close(fd[i]);
      fd[i] = -1;
    }
  }
}

static int session; /* its socket */

static pid_t start_cluster(void) {
  int fd[RANKS], ends[2];
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  session = ends[1];
  fd[0] = ends[0];
  fflush(NULL);
  pid_t pid = fork();
  if (pid) {
    close(fd[0]);
    pool_remote_init(session, RANKS);
    return pid;
  }
  close(session);
  for (uint32_t i = 1; i < RANKS; i++) {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    if (!fork()) {
      struct pool_job j = job(NULL);
      for (uint32_t k = 0; k < i; k++)
        close(fd[k]);
      close(ends[0]);
      worker_catch_signals();
      _exit(pool_remote_serve(ends[1], i, &j));
    }
    close(ends[1]);
    fd[i] = ends[0];
  }
  relay(fd);
  return 0;
}

/* In a process of its own, since a process has one cluster.  All processes are
 * gone when all who have the pipe are. */
static void in_cluster(void (*test)(pid_t relay)) {
  int fds[2], status = 1;
  char c;
  CHECK_INT(pipe(fds), 0);
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    close(fds[0]);
    test_errors = 0;
    test(start_cluster());
    _exit(test_errors != 0);
  }
  close(fds[1]);
  waitpid(pid, &status, 0);
  CHECK_INT(status, 0);
  CHECK_INT(read(fds[0], &c, 1), 0);
  close(fds[0]);
}

static void give(struct pool *p, uint32_t slot, const char *text) {
  pool_give(p, slot, text, strlen(text));
}

static const struct pool_message *wait_for_news(struct pool *p) {
  const struct pool_message *m;
  do
    m = pool_wait(p);
  while (m->news == POOL_TICK);
  return m;
}

static void do_items(struct pool *p, const char *want) {
  unsigned seen = 0;
  for (uint32_t i = 0; i < pool_slots(p); i++)
    give(p, i, "a");
  for (uint32_t i = 0; i < pool_slots(p); i++) {
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, POOL_ANSWER);
    CHECK_STR(buf_text(&m->answer), want);
    seen |= 1u << m->slot;
  }
  CHECK_INT(seen, (1u << pool_slots(p)) - 1);
}

static void answers(pid_t relay) {
  (void)relay;
  struct target o = some_order();
  struct pool_job j = job(&o);
  struct pool *p = pool_open(&j, 2);
  CHECK_INT(pool_local_slots(p), 2);
  CHECK_INT(pool_slots(p), 4);
  CHECK(pool_usable(p, 3));
  CHECK(!pool_look(p, 3));
  for (int i = 0; i < 20; i++)
    do_items(p, "a of 2 with a || b");
  give(p, 3, "b");
  give(p, 2, "b");
  for (int i = 0; i < 2; i++)
    CHECK(wait_for_news(p)->answer.len > 20000000);
  CHECK(!pool_lost(p));
  pool_close(p);
}
TEST(other_ranks_do_items) { in_cluster(answers); }

static void several_pools(pid_t relay) {
  (void)relay;
  struct target o = some_order();
  struct pool_job j = job(&o);
  for (uint32_t i = 0; i < 5; i++) {
    char want[40];
    snprintf(want, sizeof want, "a of %u with a || b", i);
    o.suite = i;
    struct pool *p = pool_open(&j, 0);
    CHECK_INT(pool_slots(p), 2);
    do_items(p, want);
    give(p, 0, i % 2 ? "a" : "l"); /* its answer must not be the next one's */
    pool_close(p);
  }
}
TEST(pools_follow_each_other_though_items_are_not_done) {
  in_cluster(several_pools);
}

static void trouble(pid_t relay) {
  (void)relay;
  struct target o = some_order();
  struct pool_job j = job(&o);
  struct pool *p = pool_open(&j, 0);
  for (int i = 0; i < 2; i++) {
    give(p, 1, "c");
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, POOL_DIED);
    CHECK_INT(m->slot, 1);
    CHECK_INT(WTERMSIG(m->death.status), SIGSEGV);
    CHECK_STR(m->death.client, "push(1) || pop()");
  }
  do_items(p, "a of 2 with a || b");
  pool_close(p);
  o.suite = 99;
  p = pool_open(&j, 0);
  give(p, 0, "a");
  const struct pool_message *m = wait_for_news(p);
  CHECK_INT(m->news, POOL_ERROR);
  CHECK_STR(m->error.text, "no such suite");
  pool_close(p);
}
TEST(deaths_and_errors_come_from_other_ranks) { in_cluster(trouble); }

static void lost_rank(pid_t relay) {
  (void)relay;
  struct target o = some_order();
  struct pool_job j = job(&o);
  struct pool *p = pool_open(&j, 1);
  do_items(p, "a of 2 with a || b");
  give(p, 2, "k");
  const struct pool_message *m = wait_for_news(p);
  CHECK_INT(m->news, POOL_KILLED);
  CHECK_INT(m->slot, 2);
  CHECK(!pool_usable(p, 2));
  CHECK(pool_usable(p, 0) && pool_usable(p, 1));
  CHECK_STR(pool_lost(p), "rank 2 (node) is gone, and with it the work that "
                          "it was doing");
  give(p, 2, "a");
  give(p, 1, "a");
  unsigned killed = 0;
  for (int i = 0; i < 2; i++) {
    m = wait_for_news(p);
    CHECK_INT(m->news, m->slot == 2 ? POOL_KILLED : POOL_ANSWER);
    killed += m->news == POOL_KILLED;
  }
  CHECK_INT(killed, 1);
  pool_close(p);
  p = pool_open(&j, 1); /* it stays lost */
  CHECK(!pool_usable(p, 2));
  CHECK(pool_lost(p) != NULL);
  pool_close(p);
}
TEST(a_lost_rank_is_told_and_not_used) { in_cluster(lost_rank); }

static void no_relay(pid_t relay) {
  struct target o = some_order();
  struct pool_job j = job(&o);
  struct pool *p = pool_open(&j, 1);
  char text[20];
  snprintf(text, sizeof text, "r%d", (int)relay);
  give(p, 0, "l");
  give(p, 1, text);
  CHECK_INT(wait_for_news(p)->news, POOL_INTERRUPTED);
  CHECK_INT(pool_wait(p)->news, POOL_INTERRUPTED);
  pool_close(p);
}
TEST(the_end_of_the_relay_is_the_end) { in_cluster(no_relay); }

static void signal_with_loss(pid_t relay) {
  (void)relay;
  worker_catch_signals();
  struct target o = some_order();
  struct pool_job j = job(&o);
  struct pool *p = pool_open(&j, 1);
  do_items(p, "a of 2 with a || b");
  give(p, 0, "l");
  give(p, 1, "k");
  /* What the relay said before it ended us is known at the end. */
  frame_wait(session);
  raise(SIGTERM);
  CHECK_INT(wait_for_news(p)->news, POOL_INTERRUPTED);
  CHECK_HAS(pool_lost(p), "rank 1");
  pool_close(p);
}
TEST(an_interrupt_does_not_hide_what_is_known) { in_cluster(signal_with_loss); }

TEST_MAIN
