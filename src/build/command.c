/* Starts programs and waits for them. */
#define _GNU_SOURCE

#include "build/command.h"

#include "base/tidy.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void command_add(struct command *c, const char *word) {
  vec_push(&c->argv, xstrdup(word));
}

void command_addf(struct command *c, const char *format, ...) {
  char *word;
  va_list ap;
  va_start(ap, format);
  if (vasprintf(&word, format, ap) < 0)
    die("out of memory");
  va_end(ap);
  vec_push(&c->argv, word);
}

void command_free(struct command *c) {
  for (uint32_t i = 0; i < c->argv.len; i++)
    free(c->argv.at[i]);
  vec_free(&c->argv);
}

static bool plain(const char *word) {
  if (!*word)
    return false;
  for (const char *p = word; *p; p++)
    if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                "-_=+./,:@%^",
                *p))
      return false;
  return true;
}

void command_print(const struct command *c, struct buf *out) {
  for (uint32_t i = 0; i < c->argv.len; i++) {
    const char *word = c->argv.at[i];
    if (i)
      buf_putc(out, ' ');
    if (plain(word)) {
      buf_puts(out, word);
      continue;
    }
    buf_putc(out, '\'');
    for (const char *p = word; *p; p++)
      if (*p == '\'')
        buf_puts(out, "'\\''");
      else
        buf_putc(out, *p);
    buf_putc(out, '\'');
  }
}

/* The argument list for exec, which ends with NULL. */
static char **words(struct command *c) {
  vec_reserve(&c->argv, c->argv.len + 1);
  c->argv.at[c->argv.len] = NULL;
  return c->argv.at;
}

/*
 * The program leads a process group, so that ending the group also ends the
 * programs that it starts, as compilers do.  Not at a terminal: there it might
 * read, and the user's signals reach all processes anyway.
 */
pid_t command_start(struct command *c, int fd) {
  assert(c->argv.len && fd >= 0);
  char **argv = words(c);
  bool leads = !isatty(STDIN_FILENO);
  fflush(NULL); /* else the child could print our buffers again */
  pid_t pid = fork();
  if (pid < 0)
    die("fork: %s", strerror(errno));
  if (leads)
    setpgid(pid, pid); /* in both processes: either may be first */
  if (pid == 0) {
    dup2(fd, STDOUT_FILENO);
    dup2(fd, STDERR_FILENO);
    if (c->tmp)
      setenv("TMPDIR", c->tmp, 1);
    execvp(argv[0], argv);
    dprintf(STDERR_FILENO, "faultline: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
  }
  tidy_process(leads ? -pid : pid);
  return pid;
}

int command_wait(pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      die("waitpid: %s", strerror(errno));
  tidy_process_done(pid);
  tidy_process_done(-pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *command_end(int status) {
  static char text[80];
  const char *name = status > 128 ? strsignal(status - 128) : NULL;
  if (status > 128 && status < 128 + 65)
    snprintf(text, sizeof text, "killed by signal %d (%s)", status - 128, name);
  else
    snprintf(text, sizeof text, "exit status %d", status);
  return text;
}

int command_run(struct command *c) {
  return command_wait(command_start(c, STDERR_FILENO));
}

int command_capture(struct command *c, struct buf *out) {
  int fd[2];
  if (pipe2(fd, O_CLOEXEC))
    die("pipe: %s", strerror(errno));
  pid_t pid = command_start(c, fd[1]);
  close(fd[1]);
  char chunk[4096];
  ssize_t n;
  while ((n = read(fd[0], chunk, sizeof chunk)) > 0 ||
         (n < 0 && errno == EINTR))
    if (n > 0)
      buf_put(out, chunk, (size_t)n);
  close(fd[0]);
  return command_wait(pid);
}

void command_exec(struct command *c) {
  char **argv = words(c);
  fflush(NULL);
  execvp(argv[0], argv);
}

char *command_find(const char *name) {
  if (strchr(name, '/'))
    return access(name, X_OK) == 0 ? xstrdup(name) : NULL;
  const char *path = getenv("PATH");
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    char *file = xasprintf("%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
    if (access(file, X_OK) == 0)
      return file;
    free(file);
    p += n + (p[n] == ':');
  }
  return NULL;
}

/* Identifies the version of a file by path, size and time. */
static void put_version(const char *path, struct buf *out) {
  struct stat st;
  if (stat(path, &st) == 0)
    buf_printf(out, "%s %jd %jd.%09ld\n", path, (intmax_t)st.st_size,
               (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* The versions of all programs of that name: the first on the PATH may be a
 * link to ccache. */
static void put_versions(const char *name, struct buf *out) {
  const char *path = getenv("PATH");
  for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    char *file = xasprintf("%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
    put_version(file, out);
    free(file);
    p += n + (p[n] == ':');
  }
}

void command_toolchain(const char *compiler, struct buf *out) {
  static const char *const others[] = {"cc",    "gcc",     "c++", "g++",
                                       "clang", "clang++", "as",  "ld"};
  buf_printf(out, "%s\n", compiler);
  if (strchr(compiler, '/'))
    put_version(compiler, out);
  else
    put_versions(compiler, out);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    put_versions(others[i], out);
}
