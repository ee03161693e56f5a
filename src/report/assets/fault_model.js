/* ---- the data, and what follows from them ---- */

/* Integers that a double cannot hold stay as they are written. */
const data = JSON.parse(document.getElementById('data').textContent, (key, value, from) =>
  typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) &&
  from && from.source ? from.source : value);
const runs = data.runs || [data];

const threadName = t => t ? 'T' + t : 'main';
const threadColor = t => 'var(--t' + (t ? (t - 1) % 6 + 1 : 0) + ')';
/* An arrow that no line breaks into. */
const pretty = text => text.replace(/ -> /g, ' \u2192 ');
const baseName = path => path ? path.slice(path.lastIndexOf('/') + 1) : '';
const MANY = '18446744073709551614';
const number = n => String(n) === MANY ? 'very many' : Number(n).toLocaleString('en');
/* What was counted without doing it: two digits from a million on, or from
 * where else there is no room for more. */
const raised = power => [...power].map(d => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]).join('');
const rough = (n, from = 1e6) => {
  if (String(n) === MANY) return from < 1e6 ? '>10¹⁹' : number(n);
  if (Number(n) < from) return number(n);
  const [digits, power] = Number(n).toExponential(1).split('e+');
  return digits + '·10' + raised(power);
};
const many = (n, word, plural) => number(n) + ' ' + (Number(n) === 1 ? word : plural || word + 's');

/*
 * Memory over time.  A cell is what one access touched: so many bytes of a
 * block, or a variable.  Its value is known from the first access on; what that
 * one read or replaced was there before.
 */
const ACCESSES = new Set(['read', 'write', 'load', 'store', 'rmw', 'cas', 'cas failed', 'commit', 'futex wait']);
class Memory {
  constructor(run) {
    this.events = run.events;
    this.blocks = (run.blocks || []).map((b, i) => ({...b, id: i, cells: []}));
    this.variables = {name: 'variables', id: -1, cells: [], allocated: null, freed: null};
    this.cells = new Map();
    this.buffers = new Map(); /* thread: [issued, committed] */
    this.events.forEach((e, i) => this.take(e, i));
    for (const b of [...this.blocks, this.variables])
      b.cells.sort((x, y) => x.offset - y.offset || (x.name < y.name ? -1 : 1));
    this.tell();
    this.place();
  }

  /* Fields that the debug information does not tell apart. */
  tell() {
    for (const b of this.blocks) {
      const names = new Map();
      for (const c of b.cells) names.set(c.name, (names.get(c.name) || 0) + 1);
      for (const c of b.cells) if (names.get(c.name) > 1) c.name += ' +' + c.offset;
    }
  }

  take(e, at) {
    if (e.buffered) {
      if (!this.buffers.has(e.thread)) this.buffers.set(e.thread, []);
      this.buffers.get(e.thread).push({from: at, to: Infinity, event: e});
      return;
    }
    if (e.issued !== undefined)
      for (const store of this.buffers.get(e.thread) || [])
        if (store.from === e.issued) store.to = at;
    if (!e.location || e.forwarded) return;
    const lock = {'lock': 1, 'trylock': 1, 'unlock': 0, 'read-lock': 1, 'write-lock': 1}[e.kind];
    if (lock !== undefined) this.lock(e, at, lock);
    else if (e.value !== null && ACCESSES.has(e.kind)) this.access(e, at);
  }

  cell(e, size) {
    const block = e.block === undefined ? this.variables : this.blocks[e.block];
    const key = block.id < 0 ? e.location : block.id + ':' + e.offset + ':' + size;
    let cell = this.cells.get(key);
    if (!cell) {
      let name = e.location;
      if (block.id >= 0 && name.startsWith(block.name))
        name = name.slice(block.name.length).replace(/^\./, '');
      cell = {key, name: name || '*', block, offset: e.offset || 0, size, history: []};
      this.cells.set(key, cell);
      block.cells.push(cell);
    }
    return cell;
  }

  access(e, at) {
    const cell = this.cell(e, e.size);
    const writes = e.old !== null;
    if (!cell.history.length) cell.history.push({at: -1, value: writes ? e.old : e.value});
    cell.history.push({at, value: e.value, writes, thread: e.thread});
    if (writes && cell.block.id >= 0)
      for (const other of cell.block.cells) /* the same bytes, seen otherwise */
        if (other !== cell && other.size !== 'lock' && other.offset < cell.offset + cell.size &&
            cell.offset < other.offset + other.size)
          other.history.push({at, value: '…', writes: false, stale: true});
  }

  lock(e, at, taken) {
    const cell = this.cell(e, 'lock');
    if (!cell.history.length) cell.history.push({at: -1, value: taken ? 'free' : 'held'});
    if (e.kind === 'trylock' && / \(failed\)$/.test(e.text || '')) return;
    cell.history.push({at, value: taken ? 'held by ' + threadName(e.thread) : 'free', writes: true, thread: e.thread});
  }

  /* What the cell holds behind event `at`; `from`: the first event of the step. */
  value(cell, at, from) {
    let now = null, read = false, wrote = false, by = null;
    for (const h of cell.history) {
      if (h.at > at) break;
      if (h.at >= from && !h.stale) h.writes ? wrote = true : read = true;
      if (h.writes && h.thread) by = h.thread;
      now = h.value;
    }
    return {value: now, read, wrote, by};
  }

  target(value) {
    const m = /^\{?&([^.+\[\],}]+)/.exec(value || '');
    return m ? this.blocks.find(b => b.name === m[1]) : undefined;
  }

  /* Columns that stay: how far from what nothing points to, over all time. */
  place() {
    const touched = this.blocks.filter(b => b.cells.length || b.allocated !== null || b.freed !== null);
    const next = new Map(), hit = new Set();
    for (const b of [...touched, this.variables]) {
      const to = new Set();
      for (const c of b.cells)
        for (const h of c.history) {
          const t = this.target(h.value);
          if (t && t !== b) { to.add(t); hit.add(t); }
        }
      next.set(b, to);
    }
    const depth = new Map(), queue = [];
    const root = b => { if (!depth.has(b)) { depth.set(b, 0); queue.push(b); } };
    const spread = () => {
      while (queue.length) {
        const b = queue.shift();
        for (const t of next.get(b) || [])
          if (!depth.has(t)) { depth.set(t, depth.get(b) + 1); queue.push(t); }
      }
    };
    if (this.variables.cells.length) root(this.variables);
    touched.filter(b => !hit.has(b)).forEach(root);
    spread();
    touched.forEach(b => { root(b); spread(); });
    this.columns = [];
    for (const [b, d] of depth) (this.columns[Math.min(d, 11)] ||= []).push(b);
    this.columns = this.columns.filter(Boolean);
  }
}

/* The longest common part of two lists, as pairs of indices. */
function common(a, b) {
  const n = a.length, m = b.length, w = m + 1, best = new Uint16Array((n + 1) * w), out = [];
  for (let i = n - 1; i >= 0; i--)
    for (let k = m - 1; k >= 0; k--)
      best[i * w + k] = a[i] === b[k] ? best[(i + 1) * w + k + 1] + 1 : Math.max(best[(i + 1) * w + k], best[i * w + k + 1]);
  for (let i = 0, k = 0; i < n && k < m;)
    if (a[i] === b[k]) out.push([i++, k++]);
    else if (best[(i + 1) * w + k] >= best[i * w + k + 1]) i++;
    else k++;
  return out;
}

/* The first row that reads past a store in the buffer of another thread; -1:
 * none does. */
const missedStore = (run, rows) => rows.findIndex(r => r.part === 'threads' && r.event !== null &&
  ['load', 'read'].includes(run.events[r.event].kind) && run.events.some((c, at) => c.kind === 'commit' && at > r.event &&
    c.issued < r.event && c.thread !== r.thread && c.location === run.events[r.event].location));

/*
 * The step that decides: that of the first note which is about a step (who
 * interrupts whom, and by what), else under TSO a load that misses a store,
 * else the last race of the shortest pattern, else where the fault shows or a
 * thread begins to wait.
 */
function decisiveStep(run, rows) {
  for (const n of (run.diagnostic || {notes: []}).notes) {
    const at = rows.findIndex(r => r.part === 'threads' && r.event !== null && r.line === n.line && r.file === n.file && n.message.endsWith(r.text));
    if (at >= 0) return at;
  }
  const missed = (run.fences || []).length ? missedStore(run, rows) : -1;
  if (missed >= 0) return missed;
  const race = ((run.cdrs || [])[0] || {races: []}).races.slice(-1)[0];
  for (const a of race ? race.accesses : []) {
    const at = rows.findIndex(r => r.part === 'threads' && r.thread === a.thread && r.line === a.line && r.location === a.location);
    if (at >= 0) return at;
  }
  for (const kind of ['fault', 'wait']) {
    const at = rows.findIndex(r => r.kind === kind);
    if (at >= 0) return at;
  }
  return Math.max(0, rows.findIndex(r => r.part === 'threads'));
}

/* What comes behind it, such as the destructor, has no part in the fault. */
function lastStep(rows) {
  const fault = rows.findIndex(r => r.kind === 'fault');
  if (fault >= 0) return fault;
  for (let i = rows.length - 1; i >= 0; i--)
    if (rows[i].call !== null || rows[i].kind === 'wait') return i;
  return rows.length - 1;
}

/* One run, ready to be shown. */
function modelOf(run) {
  const rows = (run.rows || []).map((r, i) => ({...r, index: i}));
  /* The last event that belongs to a row, those of folded rounds included. */
  rows.forEach((r, i) => {
    let next = run.events.length;
    for (let k = i + 1; k < rows.length; k++)
      if (rows[k].event !== null) { next = rows[k].event; break; }
    r.until = next - 1;
    r.location = r.event !== null && run.events[r.event] ? run.events[r.event].location : null;
    const kind = r.event !== null && run.events[r.event] ? run.events[r.event].kind : '';
    if (kind) run.events[r.event].text = r.text;
    r.reads = ['read', 'load', 'cas failed'].includes(kind);
  });
  const threads = [...new Set(rows.filter(r => r.part === 'threads').map(r => r.thread))].sort((a, b) => a - b);
  const best = (run.causes || [])[0];
  return {run, rows, threads, blocks: best ? best.blocks : [], memory: new Memory(run),
    decisive: decisiveStep(run, rows), last: lastStep(rows),
    disagree: new Set((run.refutations || []).map(r => r.order[r.order.length - 1]))};
}
