#!/bin/bash
# The index of the gallery in a headless Chromium: nothing fails, nothing is
# fetched, nothing is wider than the window, every link leads to a page.
. "$(dirname "$0")/common.inc"
FAULTLINE=$FAULTLINE "$SOURCE_DIR/scripts/gallery" --quick "$tmp/gallery" \
  event accounts >"$tmp/out" || { cat "$tmp/out"; exit 1; }
NODE_PATH=$modules/node_modules BROWSER=$(command -v $browser) \
  node "$SOURCE_DIR/tests/browser/gallery.js" "${2:-$tmp/gallery}/index.html" \
  ${1+"$1"}
