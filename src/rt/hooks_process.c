/*
 * Processes are not modelled: a child would go on as a second worker.  The cage
 * stops the system calls (cage.h); here the functions are stopped by which most
 * code asks for them, so that the report has their names, also on a system
 * without a cage.  While the object is loaded there is only the cage.
 */
#include "rt/hooks.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void refuse(const char *name, uint64_t pc) {
  if (fl__on())
    fl__refuse(pc, "%s() would start a process, and processes are not modelled",
               name);
}

WRAP(pid_t, fork, (void)) {
  refuse("fork", CALLER_PC);
  return fork();
}
WRAP(pid_t, _Fork, (void)) {
  refuse("_Fork", CALLER_PC);
  return _Fork();
}
WRAP(pid_t, vfork, (void)) { /* the real one must not return twice to here */
  refuse("vfork", CALLER_PC);
  return fork();
}
WRAP(int, daemon, (int nochdir, int noclose)) {
  refuse("daemon", CALLER_PC);
  return daemon(nochdir, noclose);
}
WRAP(int, system, (const char *command)) {
  refuse("system", CALLER_PC);
  return system(command);
}
WRAP(FILE *, popen, (const char *command, const char *type)) {
  refuse("popen", CALLER_PC);
  return popen(command, type);
}
WRAP(int, posix_spawn,
     (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attr, char *const argv[], char *const env[])) {
  refuse("posix_spawn", CALLER_PC);
  return posix_spawn(pid, path, actions, attr, argv, env);
}
WRAP(int, posix_spawnp,
     (pid_t * pid, const char *file, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *attr, char *const argv[], char *const env[])) {
  refuse("posix_spawnp", CALLER_PC);
  return posix_spawnp(pid, file, actions, attr, argv, env);
}
