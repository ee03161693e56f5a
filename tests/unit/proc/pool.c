#include "proc/pool.h"
#include "base/rng.h"
#include "rt/cage.h"
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * An item of these tests is a letter that says what to do, and what to do it
 * with.  Every answer but that of `b` begins with the item.
 */
enum { BIG = 20 << 20 };

/* Whatever a sanitizer thinks of it. */
static void die_of(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static int open_it(void *arg, struct work *s) {
  (void)s;
  const char *how = arg;
  if (how && !strcmp(how, "error"))
    return error_set(&s->error, ERR_BUILD, "cannot be opened");
  if (how && !strcmp(how, "crash"))
    die_of(SIGSEGV);
  return ERR_NONE;
}

/* Open file descriptors, as text. */
static void list_fds(struct buf *out) {
  DIR *d = opendir("/proc/self/fd");
  for (struct dirent *e; (e = readdir(d));)
    if (atoi(e->d_name) > 2 && atoi(e->d_name) != dirfd(d))
      buf_printf(out, " %s", e->d_name);
  closedir(d);
}

static int do_item(void *arg, struct work *s, const struct buf *item,
                   struct buf *answer) {
  (void)arg;
  buf_put(answer, item->at, item->len);
  switch (item->len ? item->at[0] : 0) {
  case 'b': /* big */
    buf_clear(answer);
    for (uint32_t i = 0; i < BIG / 4; i++)
      buf_put(answer, &i, sizeof i);
    break;
  case 'n': /* nothing */
    buf_clear(answer);
    break;
  case 'c': /* crashes, as it runs a client */
    s->shared->path.len = 3;
    memcpy(s->shared->path.at, "\1\0\1", 3);
    board_write(s->board, "push(1) || pop()", 7, 11);
    die_of(SIGSEGV);
    break;
  case 'r': /* leaves its memory in ruins */
    s->shared->path.len = UINT32_MAX;
    memset(&s->error, 'x', sizeof s->error);
    memset(&s->arena, 'x', sizeof s->arena);
    s->board = (struct board *)0x10;
    die_of(SIGABRT);
    break;
  case 'x': /* exits */
    cage_exit(5);
  case 'g': /* writes what is no frame */
    for (int fd = 3; fd < 20; fd++)
      (void)!write(fd, "garbage garbage garbage garbage", 31);
    pause();
    break;
  case 'z': /* closes its socket and stays */
    for (int fd = 3; fd < 20; fd++)
      close(fd);
    for (;;)
      s->shared->heartbeat++;
  case 'h': /* hangs */
    pause();
    break;
  case 'k': /* is killed */
    cage_kill(getpid(), SIGKILL);
    break;
  case 'w': /* works for a while */
    for (volatile uint32_t i = 0; i < 3000000; i++)
      ;
    break;
  case 'l': /* for long */
    for (;;)
      s->shared->heartbeat++;
  case 'e': /* an error */
    return error_set(&s->error, ERR_USAGE, "item %s", item->at);
  case 'f': /* file descriptors */
    list_fds(answer);
    break;
  case 'o': /* its child keeps the socket open */
    if (!cage_fork()) {
      sleep(600); /* nobody waits for it: it ends with its group */
      cage_exit(0);
    }
    cage_exit(6);
  case 'm': /* is the shared memory as new? */
    buf_printf(answer, " %d %d %llu", s->board->known, (int)s->shared->path.len,
               (unsigned long long)s->shared->clients++);
    break;
  }
  return ERR_NONE;
}

static struct pool_job job(const char *how) {
  return (struct pool_job){
      .open = open_it, .item = do_item, .arg = (void *)how, .hang_seconds = 1};
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

static unsigned count_fds(void) {
  struct buf b = {0};
  list_fds(&b);
  unsigned n = 0;
  for (size_t i = 0; i < b.len; i++)
    n += b.at[i] == ' ';
  buf_free(&b);
  return n;
}

static void check_nothing_is_left(unsigned fds) {
  CHECK_INT(count_fds(), fds);
  CHECK_INT(waitpid(-1, NULL, WNOHANG), -1);
  CHECK_INT(errno, ECHILD);
}

TEST(items_come_back) {
  unsigned fds = count_fds();
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 3);
  CHECK_INT(pool_slots(p), 3);
  CHECK_INT(pool_local_slots(p), 3);
  CHECK(!pool_look(p, 0));
  for (int round = 0; round < 20; round++) {
    unsigned seen = 0;
    for (uint32_t i = 0; i < 3; i++) {
      char text[20];
      snprintf(text, sizeof text, "a %u %d", i, round);
      give(p, i, text);
      CHECK(pool_look(p, i) != NULL);
    }
    for (int k = 0; k < 3; k++) {
      const struct pool_message *m = wait_for_news(p);
      char text[20];
      snprintf(text, sizeof text, "a %u %d", m->slot, round);
      CHECK_INT(m->news, POOL_ANSWER);
      CHECK_STR(buf_text(&m->answer), text);
      seen |= 1u << m->slot;
    }
    CHECK_INT(seen, 7);
  }
  CHECK_INT(pool_wait(p)->news, POOL_TICK);
  pool_close(p);
  check_nothing_is_left(fds);
}

TEST(a_short_item_overtakes_a_long_one) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 2);
  give(p, 0, "l");
  for (int i = 0; i < 10; i++) {
    give(p, 1, "a");
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, POOL_ANSWER);
    CHECK_INT(m->slot, 1);
  }
  pool_close(p); /* in the middle of the long one */
  check_nothing_is_left(count_fds());
}

TEST(answers_may_be_empty_or_many_megabytes) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 2);
  give(p, 0, "b");
  give(p, 1, "b");
  for (int i = 0; i < 2; i++) {
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, POOL_ANSWER);
    if (!CHECK_INT(m->answer.len, BIG))
      break;
    unsigned wrong = 0;
    for (uint32_t k = 0; k < BIG / 4; k++)
      wrong += memcmp(m->answer.at + 4 * k, &k, 4) != 0;
    CHECK_INT(wrong, 0);
  }
  give(p, 0, "n");
  const struct pool_message *m = wait_for_news(p);
  CHECK_INT(m->news, POOL_ANSWER);
  CHECK_INT(m->answer.len, 0);
  pool_give(p, 1, NULL, 0);
  m = wait_for_news(p);
  CHECK_INT(m->news, POOL_ANSWER);
  CHECK_INT(m->answer.len, 0);
  pool_close(p);
}

TEST(items_may_be_many_megabytes) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 2);
  char *item = malloc(BIG);
  for (uint32_t i = 0; i < BIG; i++)
    item[i] = (char)('A' + i % 23);
  pool_give(p, 0, item, BIG);
  pool_give(p, 1, item, BIG);
  for (int i = 0; i < 2; i++) {
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->answer.len, BIG);
    CHECK(m->answer.len == BIG && !memcmp(m->answer.at, item, BIG));
  }
  free(item);
  pool_close(p);
}

/* Gives one item, and then a good one to the same slot. */
static void check_end(const char *item, enum pool_news news,
                      void (*look)(const struct pool_message *m)) {
  unsigned fds = count_fds();
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 2);
  for (int i = 0; i < 2; i++) {
    give(p, 1, item);
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, news);
    CHECK_INT(m->slot, 1);
    look(m);
    CHECK(!pool_look(p, 1));
    give(p, 1, "m");
    m = wait_for_news(p);
    CHECK_INT(m->news, POOL_ANSWER);
    CHECK_STR(buf_text(&m->answer), "m 0 0 0");
  }
  pool_close(p);
  check_nothing_is_left(fds);
}

static void look_at_crash(const struct pool_message *m) {
  CHECK(WIFSIGNALED(m->death.status));
  CHECK_INT(WTERMSIG(m->death.status), SIGSEGV);
  CHECK(m->death.known);
  CHECK_STR(m->death.client, "push(1) || pop()");
  CHECK_INT(m->death.clients, 7);
  CHECK_INT(m->death.executions, 11);
  CHECK_INT(m->death.len, 3);
  CHECK(!memcmp(m->death.path, "\1\0\1", 3));
}
TEST(a_crash_is_told_with_its_client_and_path) {
  check_end("c", POOL_DIED, look_at_crash);
}

static void look_at_ruins(const struct pool_message *m) {
  CHECK_INT(WTERMSIG(m->death.status), SIGABRT);
  CHECK(!m->death.known);
  CHECK_INT(m->death.len, LIVE_PATH_MAX);
}
TEST(memory_in_ruins_does_no_harm) { check_end("r", POOL_DIED, look_at_ruins); }

static void look_at_exit(const struct pool_message *m) {
  CHECK(WIFEXITED(m->death.status));
  CHECK_INT(WEXITSTATUS(m->death.status), 5);
}
TEST(an_exit_is_a_death) { check_end("x", POOL_DIED, look_at_exit); }

static void look_at_nothing(const struct pool_message *m) { (void)m; }
TEST(a_process_that_sleeps_hangs) {
  check_end("h", POOL_HANGS, look_at_nothing);
}
TEST(a_killed_process_is_not_to_blame) {
  check_end("k", POOL_KILLED, look_at_nothing);
}
TEST(who_writes_garbage_dies) { check_end("g", POOL_DIED, look_at_nothing); }
TEST(who_closes_its_socket_dies) { check_end("z", POOL_DIED, look_at_nothing); }

static void look_at_error(const struct pool_message *m) {
  CHECK_INT(m->error.code, ERR_USAGE);
  CHECK_STR(m->error.text, "item e");
}
TEST(an_error_of_an_item_is_told) { check_end("e", POOL_ERROR, look_at_error); }

TEST(a_child_of_the_process_that_lives_on_does_not_hide_its_end) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 1);
  give(p, 0, "o");
  const struct pool_message *m = wait_for_news(p);
  CHECK_INT(m->news, POOL_DIED);
  CHECK_INT(WEXITSTATUS(m->death.status), 6);
  pool_close(p);
}

TEST(trouble_when_it_is_opened_is_told) {
  struct pool_job j = job("error");
  struct pool *p = pool_open(&j, 2);
  for (uint32_t i = 0; i < 4; i++) {
    give(p, i % 2, "a");
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, POOL_ERROR);
    CHECK_INT(m->error.code, ERR_BUILD);
    CHECK_STR(m->error.text, "cannot be opened");
  }
  pool_close(p);
  j = job("crash");
  p = pool_open(&j, 1);
  give(p, 0, "a");
  CHECK_INT(wait_for_news(p)->news, POOL_DIED);
  pool_close(p);
  check_nothing_is_left(count_fds());
}

TEST(a_process_does_not_see_the_others_sockets) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 4);
  char first[200] = "";
  for (uint32_t i = 0; i < 4; i++) {
    give(p, i, "f");
    const struct pool_message *m = wait_for_news(p);
    unsigned n = 0;
    for (size_t k = 0; k < m->answer.len; k++)
      n += m->answer.at[k] == ' ';
    if (!i)
      snprintf(first, sizeof first, "%u", n);
    char now[20];
    snprintf(now, sizeof now, "%u", n);
    CHECK_STR(now, first);
  }
  pool_close(p);
}

/* Sends a signal to a process of the pool, that is to a child of this one. */
static void kill_some(struct rng *r, int number) {
  FILE *f = fopen("/proc/thread-self/children", "r");
  pid_t all[64];
  unsigned n = 0;
  while (n < 64 && fscanf(f, "%d", &all[n]) == 1)
    n++;
  fclose(f);
  if (n)
    kill(all[rng_below(r, n)], number);
}

TEST(who_is_killed_in_the_middle_of_an_item_is_told) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 4);
  struct rng rng = {7};
  for (uint32_t i = 0; i < 4; i++)
    give(p, i, "l");
  for (int i = 0; i < 10; i++) {
    kill_some(&rng, SIGKILL);
    const struct pool_message *m = wait_for_news(p);
    CHECK_INT(m->news, POOL_KILLED);
    give(p, m->slot, "l");
  }
  pool_close(p);
  check_nothing_is_left(count_fds());
}

/* Whether a process is in the middle of its item when it is killed is chance.
 */
TEST(all_items_are_done_though_processes_are_killed_at_random) {
  enum { ITEMS = 120, SLOTS = 4 };
  unsigned fds = count_fds();
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, SLOTS);
  struct rng rng = {42};
  unsigned done[ITEMS] = {0}, at[SLOTS] = {0}, next = 0, left = ITEMS;
  bool busy[SLOTS] = {0};
  while (left) {
    for (uint32_t i = 0; i < SLOTS; i++)
      if (!busy[i] && next < ITEMS) {
        char text[20];
        snprintf(text, sizeof text, "w %u", next);
        at[i] = next++;
        give(p, i, text);
        busy[i] = true;
      }
    if (rng_below(&rng, 3) == 0)
      kill_some(&rng, SIGKILL);
    const struct pool_message *m = wait_for_news(p);
    busy[m->slot] = false;
    if (m->news == POOL_ANSWER) {
      char text[20];
      snprintf(text, sizeof text, "w %u", at[m->slot]);
      CHECK_STR(buf_text(&m->answer), text);
      done[at[m->slot]]++;
      left--;
    } else if (CHECK_INT(m->news, POOL_KILLED)) {
      char text[20];
      snprintf(text, sizeof text, "w %u", at[m->slot]);
      give(p, m->slot, text);
      busy[m->slot] = true;
    }
  }
  for (int i = 0; i < ITEMS; i++)
    CHECK_INT(done[i], 1);
  pool_close(p);
  check_nothing_is_left(fds);
}

TEST(what_dies_while_idle_is_started_again) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 1);
  struct rng rng = {1};
  for (int i = 0; i < 20; i++) {
    give(p, 0, "a");
    const struct pool_message *m = wait_for_news(p);
    CHECK(m->news == POOL_ANSWER || m->news == POOL_KILLED);
    kill_some(&rng, SIGKILL);
    if (i % 2)
      CHECK_INT(pool_wait(p)->news, POOL_TICK);
  }
  pool_close(p);
  check_nothing_is_left(count_fds());
}

/* In a process of its own: it stays interrupted. */
static int be_interrupted(int number) {
  worker_catch_signals();
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 3);
  for (uint32_t i = 0; i < 3; i++)
    give(p, i, "l");
  CHECK_INT(pool_wait(p)->news, POOL_TICK);
  kill(getpid(), number);
  CHECK_INT(pool_wait(p)->news, POOL_INTERRUPTED);
  CHECK_INT(pool_wait(p)->news, POOL_INTERRUPTED);
  pool_close(p);
  check_nothing_is_left(count_fds());
  return test_errors != 0;
}

TEST(a_signal_to_the_parent_interrupts) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  for (int i = 0; i < 3; i++) {
    fflush(NULL);
    pid_t pid = fork();
    if (!pid)
      _exit(be_interrupted(numbers[i]));
    int status = 1;
    waitpid(pid, &status, 0);
    CHECK_INT(status, 0);
  }
}

TEST(the_terminals_interrupt_is_the_parents) {
  struct pool_job j = job(NULL);
  struct pool *p = pool_open(&j, 1);
  struct rng rng = {1};
  give(p, 0, "a");
  CHECK_INT(wait_for_news(p)->news, POOL_ANSWER);
  kill_some(&rng, SIGINT);
  give(p, 0, "a");
  CHECK_INT(wait_for_news(p)->news, POOL_ANSWER);
  pool_close(p);
}

TEST(processes_end_with_their_parent) {
  int fds[2];
  CHECK_INT(pipe(fds), 0);
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    struct pool_job j = job(NULL);
    struct pool *p = pool_open(&j, 2);
    give(p, 0, "l");
    give(p, 1, "l");
    pool_wait(p);
    cage_kill(getpid(), SIGKILL);
  }
  close(fds[1]);
  char c;
  CHECK_INT(read(fds[0], &c, 1), 0); /* when all who had it are gone */
  close(fds[0]);
  waitpid(pid, NULL, 0);
}

TEST_MAIN
