# The index of the gallery: a list of objects as scripts/gallery collects them,
# to one page that needs nothing else.

def pill: if .verdict == "pass"
  then "<span class=\"kind pass\">no fault found</span>"
  else "<span class=\"kind\">\(.fault | gsub("-"; " ") | @html)</span>" end;

def flags: .args | sub("^explore "; "") | sub("%s ?"; "");
def command: "faultline \(if .args | startswith("explore") then "explore " else "" end)";

# Lines that the best cause, or else the diagnostic, names, of all wrong runs.
def blamed: [.runs[] | select(.verdict != "pass")
  | if (.blocks | length) > 0 then .blocks[] | range(.first; .last + 1)
    else .at // empty end];

def source: blamed as $blamed
  | [.source | rtrimstr("\n") | split("\n") | to_entries[]
    | (.key + 1) as $n
    | "<tr\(if $blamed | index($n) then " class=\"blamed\"" else "" end)>"
      + "<td class=\"num\">\($n)</td><td class=\"code\">\(.value | @html)</td></tr>"]
  | join("");

# Paragraphs of the comment; those of wrong versions stand out.
def words: [.text | split("\n\n")[] | gsub("\n"; " ") | gsub(" +"; " ")
  | ltrimstr(" ") | rtrimstr(" ") | select(length > 0)
  | "<p\(if startswith("Wrong:") then " class=\"wrong\"" else "" end)>\(@html)</p>"]
  | join("\n");

def result: "<li>\(pill) <b>\(.version | @html)</b>"
  + (if .message then ": \(.message | @html)" else "" end)
  + (if .rank != null and .rank > 0 then
      " <span class=\"soft\">(the marked line is number \(.rank) of the causes)</span>"
     else "" end)
  + "<br><span class=\"soft small\">"
  + (if .client then "<code>\(.client | @html)</code> · " else "" end)
  + "\(.executions) executions of \(.clients) clients, \(.seconds * 10 | round / 10) s"
  + " · <a href=\"\(.html | @html)\">report</a></span>"
  + (if .bad != "" then "<br><b class=\"bad\">not as expected: \(.bad | @html)</b>" else "" end)
  + "</li>";

def section: . as $o
  | "<section id=\"\(.name | @html)\">\n<h2>\(.name | gsub("_"; " ") | @html)</h2>\n"
  + words + "\n<ul class=\"runs\">"
  + ([.runs[] | result] | join("\n")) + "</ul>\n"
  + "<p class=\"small\">"
  + ([.runs[] | "<code>\(command)\($o.file | @html) \(flags | @html)</code>"] | join("<br>"))
  + "</p>\n<details><summary>\(.file | @html)</summary><div class=\"box source\">"
  + "<table>\(source)</table></div></details>\n</section>\n";

def row: "<tr><td><a href=\"#\(.name | @html)\">\(.name | gsub("_"; " ") | @html)</a></td><td>"
  + ([.runs[] | "<a class=\"plain\" href=\"\(.html | @html)\">\(pill)</a> <span class=\"soft small\">\(.version | @html)\(
      if .lines != "" then ", line\(if .lines | test("[- ]") then "s" else "" end) \(.lines)" else "" end)</span>"]
     | join("<br>")) + "</td></tr>";

. as $objects
| [$objects[].runs[]] as $runs
| "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"color-scheme\" content=\"light dark\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">
<link rel=\"icon\" href=\"data:,\">
<title>Gallery · Faultline</title>
<style>
\($style)
.list { width: 100%; }
.list th { text-align: left; color: var(--soft); font-weight: 600; font-size: .85rem; }
.list td, .list th { padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
a.plain { text-decoration: none; }
.runs { list-style: none; padding: 0; margin: .6rem 0; } .runs li { margin: .5rem 0; overflow-wrap: anywhere; }
.wrong { border-left: 3px solid var(--bad); padding-left: .7rem; }
.kind { white-space: nowrap; }
details summary { cursor: pointer; color: var(--mark); }
.source { max-height: none; margin-top: .5rem; }
.source tr.blamed td { background: var(--bad-fill); }
.source tr.blamed .num { color: var(--bad); font-weight: 700; }
</style>
</head>
<body>
<a class=\"skip\" href=\"#main\">Skip to the objects</a>
<header>
<h1>Gallery</h1>
<p>\($objects | length) objects that people really write, each with a mistake
that people really make. \([$runs[] | select(.verdict == "pass")] | length) runs
found no fault, \([$runs[] | select(.verdict != "pass")] | length) did\(
  [$runs[] | select(.bad != "")] | length
  | if . > 0 then "; <b class=\"bad\">\(.) are not as expected</b>" else ", all as expected" end).</p>
</header>
<main id=\"main\" tabindex=\"-1\">
<section><table class=\"list\"><thead><tr><th scope=\"col\">object</th><th scope=\"col\">results</th></tr></thead>
<tbody>\([$objects[] | row] | join("\n"))</tbody></table></section>
\([$objects[] | section] | join("\n"))
</main>
<footer class=\"soft small\"><p>Made by <code>make gallery</code>.</p></footer>
</body>
</html>"
