/*
 * What must be gone when the program ends: temporary files, and processes.
 * Whoever makes one removes it; this is for the end that does not wait for
 * them: die(), or a signal, which gives the program a moment to end by itself
 * (tidy_hurry); whatever it is doing then, it ends.
 */
#ifndef BASE_TIDY_H
#define BASE_TIDY_H

#include <sys/types.h>

/* The path, of a file or a folder, must live until it is taken back. */
void tidy_file(const char *path);
void tidy_file_done(const char *path);

/* A new folder, PREFIX and six characters, or one for temporary files.  NULL:
 * errno says why not.  It is given back, with all that is in it, by the third
 * of these. */
char *tidy_folder(const char *prefix);
char *tidy_temporary_folder(void);
void tidy_folder_remove(char *path);

/* Negative: a group of processes.  The number must be valid until it is taken
 * back: nobody has waited for the process. */
void tidy_process(pid_t pid);
void tidy_process_done(pid_t pid);

/*
 * Ends what processes that were registered have left behind: children of this
 * process (as a subreaper) in a session that is neither its own nor that of a
 * registered process.  These end, too, when all is tidied up.
 */
void tidy_orphans(void);

/* In a signal handler: at the latest in TIDY_MS the program has ended, with
 * status 3. */
enum { TIDY_MS = 1700 };
void tidy_hurry(void);

/* In the beginning: the signals that end the program tidy up before that.  Who
 * wants to end in an orderly way catches them. */
void tidy_signals(void);

/* A crash of this process is a bug of ours, or of a library that did not get
 * memory: it is tidied up, and the status is 2. */
void tidy_crashes(void);
void tidy_crash(int number); /* the handler of these signals */

/* All of it, now, if this is the process that has registered it. */
void tidy_now(void);

/* In a child process: nothing of this is its own. */
void tidy_nothing(void);

#endif
