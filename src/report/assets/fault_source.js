/* ---- the source ---- */

const KEYWORDS = new Set(('auto break case char const continue default do double else enum extern float for goto if ' +
  'inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while ' +
  'bool true false NULL nullptr class public private template typename using namespace new delete this _Atomic _Bool').split(' '));
const TOKEN = /\/\*.*?(?:\*\/|$)|\/\/.*|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[A-Za-z_]\w*|[^A-Za-z_"'\/]+|\//g;

/* Comments, strings and words of the language; `state.comment` goes on. */
function paint(text, state) {
  const out = [];
  let rest = text;
  if (state.comment) {
    const end = rest.indexOf('*/');
    const n = end < 0 ? rest.length : end + 2;
    if (n) out.push(make('span', {class: 'c'}, rest.slice(0, n)));
    rest = rest.slice(n);
    state.comment = end < 0;
  }
  for (const t of rest.match(TOKEN) || []) {
    if (t.startsWith('/*') || t.startsWith('//')) {
      out.push(make('span', {class: 'c'}, t));
      state.comment = t.startsWith('/*') && !(t.length > 3 && t.endsWith('*/'));
    } else if (t[0] === '"' || t[0] === "'") out.push(make('span', {class: 's'}, t));
    else if (KEYWORDS.has(t)) out.push(make('span', {class: 'k'}, t));
    else out.push(t);
  }
  return out;
}

class Source {
  constructor(model) {
    this.model = model;
    this.files = model.run.sources || [];
    this.rows = new Map(); /* file:line: its row */
    this.box = make('div', {class: 'box source', tabindex: '0', role: 'region', 'aria-label': 'Source'});
    this.counts = new Map();
    const sw = model.run.switches;
    if (sw)
      for (const l of sw.lines) this.counts.set(l.file + ':' + l.line, l);
    this.unseen = false;
    for (const f of this.files) this.box.append(...this.file(f));
  }

  /* Lines that the report speaks of stay in sight, others fold. */
  interesting(f) {
    const near = new Set(), NEAR = 4;
    const add = line => { for (let k = line - NEAR; k <= line + NEAR; k++) near.add(k); };
    for (const r of this.model.rows) if (r.file === f.file && r.line) add(r.line);
    for (const b of this.model.blocks) if (b.file === f.file) for (let k = b.first; k <= b.last; k++) add(k);
    for (const l of this.counts.values()) if (l.file === f.file) add(l.line);
    for (const e of this.model.run.fences || []) if (e.file === f.file) for (const k of [e.after_line, e.before_line]) if (k) add(k);
    const d = this.model.run.diagnostic;
    if (d) for (const p of [d, ...d.notes]) if (p.file === f.file && p.line) add(p.line);
    return near;
  }

  count(l, which) {
    const n = l ? l[which] : undefined;
    const title = n === undefined ? null : many(n, which === 'failing' ? 'failing execution' : 'passing execution') +
      ' leave' + (Number(n) === 1 ? 's' : '') + ' a thread right after this line';
    return make('td', {class: 'count' + (n === undefined ? '' : Number(n) ? which === 'failing' ? ' bad' : '' : ' none'), title},
      n === undefined ? '' : rough(n, 1e4));
  }

  line(f, l, state) {
    const blamed = this.model.blocks.find(b => b.file === f.file && b.first <= l.line && l.line <= b.last);
    const cls = blamed ? 'blamed' + (l.line === blamed.first ? ' first' : '') + (l.line === blamed.last ? ' last' : '') : '';
    const fence = (this.model.run.fences || []).find(e => e.file === f.file && e.before_line === l.line);
    this.fence = this.fence || fence;
    const key = f.file + ':' + l.line, n = this.counts.get(key);
    const unseen = l.code === 'unseen';
    const tr = make('tr', {class: (cls + (fence ? ' fence' : '')).trim(), title: fence ? 'A fence is missing before this line' : null}, make('td', {class: 'cur'}), make('td', {class: 'num'}, String(l.line)),
      make('td', {class: 'seen' + (unseen ? ' unseen' : ''), title: unseen ? 'touches memory without instrumentation: no thread is stopped here' : null},
        unseen ? '∅' : ''),
      ...(this.counts.size ? [this.count(n, 'failing'), this.count(n, 'good')] : []),
      make('td', {class: 'brk'}, blamed ? make('i', {}) : ''),
      make('td', {class: 'code'}, ...paint(l.text, state), l.text ? '' : ' '));
    this.rows.set(key, tr);
    return tr;
  }

  file(f) {
    const near = this.interesting(f), body = make('tbody', {}), state = {comment: false};
    let hidden = [], last = 0;
    const fold = () => {
      if (!hidden.length) return;
      const rows = hidden;
      hidden = [];
      if (rows.length < 4) { body.append(...rows); return; }
      const tr = make('tr', {class: 'fold'}, make('td', {colspan: '7'},
        make('button', {type: 'button', onclick: () => tr.replaceWith(...rows)}, '⋯ ' + many(rows.length, 'line'))));
      body.append(tr);
    };
    for (const l of f.text) {
      if (l.line !== last + 1) { state.comment = false; if (last) { fold(); body.append(make('tr', {}, make('td', {colspan: '7', class: 'soft'}, '⋯'))); } }
      last = l.line;
      const tr = this.line(f, l, state);
      if (near.has(l.line)) {
        fold();
        body.append(tr);
        this.unseen = this.unseen || l.code === 'unseen';
      } else hidden.push(tr);
    }
    fold();
    const head = this.counts.size ? make('thead', {}, make('tr', {}, make('th', {colspan: '3'}),
      make('th', {scope: 'col', title: 'failing executions that leave a thread right after this line'}, 'fail'),
      make('th', {scope: 'col', title: 'passing executions that leave a thread right after this line'}, 'pass'), make('th', {colspan: '2'}))) : null;
    return [make('div', {class: 'title', title: f.file}, make('h3', {}, baseName(f.file)),
      this.counts.size ? 'executions that switch after a line' : ''),
      make('table', {'aria-label': 'Source of ' + baseName(f.file)}, head, body)];
  }

  legend() {
    const sw = this.model.run.switches;
    return make('div', {class: 'legend'},
      this.model.blocks.length ? make('span', {}, make('span', {class: 'bad'}, '['), ' must be atomic') : null,
      this.fence ? make('span', {}, make('span', {class: 'bad'}, '┄'), ' a fence is missing here, or above') : null,
      sw ? make('span', {}, 'Numbers: how many of the ' + number(sw.failing) + ' failing and ' + number(sw.good) + ' passing executions of the client interrupt a call right after the line') : null,
      this.unseen ? make('span', {}, make('span', {class: 'warn'}, '∅'), ' touches memory without instrumentation') : null);
  }

  /* The blamed lines come into sight: those that the answer is about, else the
   * first block; without any, the answer's line. */
  showBlamed(place) {
    const at = place && place.line && this.rows.get(place.file + ':' + place.line);
    const first = at || this.box.querySelector('tr.first');
    if (!first) return;
    let last = first;
    while (last.nextElementSibling && last.classList.contains('blamed') && !last.classList.contains('last')) last = last.nextElementSibling;
    reveal(this.box, last);
    reveal(this.box, first);
  }

  /* Where each thread stands: [thread, file, line]; the last one stepped. */
  show(cursors, scroll) {
    for (const tr of this.marked || []) {
      tr.firstChild.replaceChildren();
      tr.classList.remove('now');
    }
    this.marked = [];
    for (const c of cursors) {
      const tr = this.rows.get(c.file + ':' + c.line);
      if (!tr) continue;
      const pin = make('span', {class: 'pin', title: threadName(c.thread) + ' is here'}, threadName(c.thread));
      pin.style.background = threadColor(c.thread);
      tr.firstChild.append(pin);
      this.marked.push(tr);
      if (c.now) {
        tr.classList.add('now');
        if (scroll && tr.isConnected) reveal(this.box, tr);
      }
    }
  }
}

/* Scrolls the box only, not the page. */
function reveal(box, e) {
  const b = box.getBoundingClientRect(), r = e.getBoundingClientRect(), HEAD = 64;
  if (r.top < b.top + HEAD) box.scrollTop -= b.top + HEAD - r.top;
  else if (r.bottom > b.bottom - 12) box.scrollTop += r.bottom - b.bottom + 12;
}
