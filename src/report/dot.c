/*
 * The labelled graph of interleavings for Graphviz, in the paper's colours:
 * white where every execution is good, black where none is, grey between.  The
 * races that are named first are yellow, on a thick way to a red end.
 */
#include "report/races.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static void put_quoted(const char *text, struct buf *out) {
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      buf_putc(out, '\\');
    if ((unsigned char)*text >= ' ')
      buf_putc(out, *text);
  }
}

static const char *fill(const struct drawn_node *n) {
  if (n->critical)
    return "yellow";
  switch (n->leads) {
  case LEADS_GOOD:
    return "white";
  case LEADS_BAD:
    return n->on_way ? "red" : "black";
  case LEADS_BOTH:
    return n->kind == RACE_NONE ? "gray90" : "gray70";
  case LEADS_NOWHERE:
    break;
  }
  return "lightblue";
}

static const char *label(const struct drawn_node *n) {
  switch (n->leads) {
  case LEADS_GOOD:
    return "W";
  case LEADS_BAD:
    return "B";
  case LEADS_BOTH:
    return n->kind == RACE_NONE ? "" : race_letter[n->kind];
  case LEADS_NOWHERE:
    break;
  }
  return "?";
}

static void put_node(const struct drawn_node *n, uint32_t i, struct buf *out) {
  bool dark = n->leads == LEADS_BAD;
  buf_printf(out, "  n%" PRIu32 " [label=\"%s\", fillcolor=\"%s\"%s%s%s];\n", i,
             label(n), fill(n), dark && !n->on_way ? ", fontcolor=white" : "",
             n->end ? ", shape=square" : "",
             n->on_way && !n->end ? ", penwidth=2" : "");
}

static void put_edge(const struct story *s, const struct drawn_edge *e,
                     struct buf *out) {
  struct buf who = {0};
  buf_printf(out, "  n%" PRIu32 " -> n%" PRIu32 " [label=\"", e->from, e->to);
  race_who(s, &e->step, &who);
  put_quoted(buf_text(&who), out);
  buf_printf(out, "\\n%s", event_word[e->step.kind]);
  if (e->location) {
    buf_putc(out, ' ');
    put_quoted(e->location, out);
  }
  if (e->place) {
    buf_puts(out, "\\n");
    put_quoted(base_name(e->place->file), out);
    buf_printf(out, ":%" PRIu32, e->place->line);
  }
  if (e->more)
    buf_printf(out, "\\n... and %" PRIu32 " more", e->more);
  buf_printf(out, "\"%s];\n", e->on_way ? ", penwidth=3" : "");
  buf_free(&who);
}

static void put_title(const struct story *s, const struct finding *f,
                      struct buf *out) {
  put_quoted(s->client, out);
  if (f->races.len)
    buf_printf(out, "\\n%s", f->races.at[f->races.shown].pattern);
  if (f->races.drawing.condensed)
    buf_puts(out, "\\naround one failing execution");
  if (!f->races.drawing.nnodes) {
    buf_puts(out, "\\nnothing to draw: ");
    put_quoted(f->races.reason ? f->races.reason
                               : "no race of threads was looked at",
               out);
  }
}

void report_dot(const struct story *s, struct buf *out) {
  static const struct drawing nothing = {0};
  const struct finding *f = s->result->finding;
  const struct drawing *d = f ? &f->races.drawing : &nothing;
  buf_puts(out, "digraph \"");
  put_quoted(s->result->object, out);
  buf_puts(out, "\" {\n  label=\"");
  if (f)
    put_title(s, f, out);
  else
    put_quoted(s->result->reason ? s->result->reason : "no fault found", out);
  buf_puts(out, "\";\n  labelloc=t;\n  node [shape=circle, style=filled];\n"
                "  edge [fontsize=9];\n");
  for (uint32_t i = 0; i < d->nnodes; i++)
    put_node(&d->nodes[i], i, out);
  for (uint32_t i = 0; i < d->nedges; i++)
    put_edge(s, &d->edges[i], out);
  buf_puts(out, "}\n");
}
