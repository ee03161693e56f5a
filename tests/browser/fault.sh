#!/bin/bash
# The page of a fault in a headless Chromium: nothing fails, nothing is fetched,
# every step, filter and key works, hostile texts stay texts, and it stays small.
. "$(dirname "$0")/common.inc"
# Hostile in the source, in its name, in results, and in what FL_SHOW prints.
hostile='<b>&amp; <img src=x onerror=alert(4)>.c'
cat >"$hostile" <<'END'
#include <faultline.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
/* </script><script>alert(1)</script> <!-- <img src=x onerror=alert(2)> ]]> */
struct box {
  atomic_int n;
};
static struct box *box_new(void) { return calloc(1, sizeof(struct box)); }
static const char *get(struct box *b) {
  int n = atomic_load(&b->n); /* </ScRiPt> */
  atomic_store(&b->n, n + 1);
  return n ? "</script><img src=x onerror=alert(3)><!--\xe2\x80\xa8" : "a\"\\\x01\xff";
}
static void show(struct box *b) {
  printf("</script><img src=x onerror=alert(5)> %d", atomic_load(&b->n));
}
static void box_free(struct box *b) { free(b); }
FL_OBJECT(box, box_new, box_free)
FL_OP(const char *, get)
FL_SHOW(show)
END
failed() {
  echo "FAIL: $*"
  exit 1
}
page() { # name, status, arguments
  "$FAULTLINE" "${@:3}" --html "$1.html" >"$1.txt" 2>&1
  status=$?
  [ $status = "$2" ] || failed "status $status of ${*:3}: $(cat "$1.txt")"
  [ "$(wc -c <"$1.html")" -lt 400000 ] || failed "$1.html is large"
}
page hostile 1 "./$hostile"
page aba 1 "$SOURCE_DIR/examples/treiber_aba.c" --heap=reuse
page locks 1 "$SOURCE_DIR/tests/clients/deadlock.c"
page pass 0 "$SOURCE_DIR/examples/treiber_stack.c" --threads 2 --ops 1
page outcomes 1 explore "$SOURCE_DIR/examples/afek_stack.c" \
  --client '{push(1)} || {pop()}; pop()'
page crowd 1 explore "$SOURCE_DIR/examples/afek_stack.c" \
  --client '{push(1)} || {push(2)} || {pop(); pop()}; pop()'
page several 1 "$SOURCE_DIR/tests/clients/two_objects.c"
page loops 1 "$SOURCE_DIR/tests/clients/livelock.c"
page tso 1 "$SOURCE_DIR/tests/clients/tso_peterson.c" --memory-model=tso \
  --client '{add(0)} || {add(1)}'
page ring 1 "$SOURCE_DIR/examples/ring.c" --memory-model=tso \
  --criterion=linearizability
NODE_PATH=$modules/node_modules BROWSER=$(command -v $browser) \
  node "$SOURCE_DIR/tests/browser/fault.js" "$tmp" ${1+"$1"}
