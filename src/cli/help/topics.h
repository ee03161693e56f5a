/*
 * Topics: pages of the documentation inside the program, so that
 * `faultline help pass` explains a pass where the pages are not installed.
 */
#ifndef CLI_HELP_TOPICS_H
#define CLI_HELP_TOPICS_H

#include "base/buf.h"

#include <stdbool.h>

/* name, page of docs/ */
#define TOPICS(_)                                                              \
  _(starting, "starting")                                                      \
  _(harness, "harness")                                                        \
  _(report, "output")                                                          \
  _(pass, "pass")                                                              \
  _(search, "search")                                                        \
  _(histories, "recording")                                                    \
  _(tso, "tso")                                                                \
  _(limits, "limits")                                                          \
  _(faq, "faq")

extern const char *const topic_names[]; /* ends with NULL */

/* The page as plain text; false: there is no such topic. */
bool topic_print(const char *name, struct buf *out);

/* Markdown as plain text: without links, pictures and comments. */
void topic_plain(const char *markdown, struct buf *out);

#endif
