/* ---- the client on a time-line ---- */
class TimeLine {
  constructor(model, go) {
    const calls = model.run.calls, rows = model.rows;
    this.length = Math.max(1, rows.length);
    this.cursors = [];
    const spans = calls.map(() => ({from: null, to: null}));
    rows.forEach((r, i) => {
      if (r.call === null || !spans[r.call]) return;
      if (spans[r.call].from === null) spans[r.call].from = i;
      if (r.kind === 'return') spans[r.call].to = i;
    });
    const used = [...new Set(calls.map(c => c.thread))].sort((a, b) => a - b);
    this.element = make('div', {class: 'lanes'});
    this.element.style.minWidth = Math.min(60, 8 + rows.length * 1.1) + 'rem';
    for (const t of used) {
      const lane = make('div', {class: 'lane'}), cursor = make('span', {class: 'cursor', 'aria-hidden': 'true'});
      calls.forEach((c, id) => {
        if (c.thread === t && spans[id].from !== null) lane.append(this.bar(model, c, id, spans[id], go));
      });
      lane.append(cursor);
      this.cursors.push(cursor);
      const name = make('span', {class: 'name'}, threadName(t));
      name.style.color = threadColor(t);
      this.element.append(name, lane);
    }
  }

  bar(model, c, id, span, go) {
    const wrong = model.disagree.has(id), end = span.to === null ? this.length : span.to + 1;
    const result = c.returned ? (c.text && c.text !== 'void' ? c.text : '') : 'does not return';
    const words = c.call + (c.returned ? result ? ' returned ' + result : ' returned' : ' does not return');
    const bar = make('button', {type: 'button', class: 'bar' + (span.to === null ? ' pending' : ''), title: words,
      'aria-label': threadName(c.thread) + ': ' + words + (wrong ? ', which no order explains' : ''), onclick: () => go(span.from)},
      make('span', {class: 'name'}, c.call), result ? make('span', {class: wrong ? 'wrong' : 'soft'}, ' → ' + result) : '');
    bar.style.left = span.from / this.length * 100 + '%';
    bar.style.width = (end - span.from) / this.length * 100 + '%';
    bar.style.borderColor = wrong ? 'var(--bad)' : threadColor(c.thread);
    return bar;
  }

  show(i) {
    for (const c of this.cursors) c.style.left = (i + 1) / this.length * 100 + '%';
  }
}

/* ---- memory ---- */
class MemoryView {
  constructor(memory) {
    this.memory = memory;
    this.heap = make('div', {class: 'heap'});
    this.svg = draw('svg', {width: 1, height: 1, 'aria-hidden': 'true'});
    this.heap.append(this.svg);
    this.boxes = new Map();
    this.rows = new Map();
    for (const column of memory.columns) {
      const e = make('div', {class: 'column'});
      for (const b of column) e.append(this.block(b));
      this.heap.append(e);
    }
    this.element = make('div', {class: 'box', tabindex: '0', role: 'region', 'aria-label': 'Memory'},
      make('div', {class: 'title'}, make('h3', {}, 'Memory'), 'what this execution touches'),
      make('div', {class: 'memory'}, this.heap));
    this.empty = !memory.columns.some(c => c.length);
    addEventListener('resize', () => this.arrows());
  }

  block(b) {
    const body = make('tbody', {});
    for (const c of b.cells) {
      const tr = make('tr', {}, make('td', {title: c.name}, c.name), make('td', {}));
      this.rows.set(c, tr);
      body.append(tr);
    }
    const e = make('div', {class: 'block'}, make('h4', {}, b.name), make('table', {}, body));
    this.boxes.set(b, e);
    return e;
  }

  show(from, until) {
    this.at = until;
    for (const [b, e] of this.boxes) {
      e.hidden = b.allocated !== null && b.allocated > until;
      const freed = b.freed !== null && b.freed <= until;
      e.classList.toggle('freed', freed);
    }
    for (const [c, tr] of this.rows) {
      const now = this.memory.value(c, until, from);
      const text = now.value === null ? '?' : now.value;
      if (tr.lastChild.textContent !== text) tr.lastChild.textContent = text;
      tr.lastChild.title = text;
      tr.className = now.wrote ? 'wrote' : now.read ? 'read' : '';
      const color = now.by ? threadColor(now.by) : '';
      tr.style.setProperty('--by', color || 'transparent');
      tr.dataset.by = now.wrote && now.by ? threadName(now.by) : '';
    }
    this.arrows();
  }

  /*
   * From a pointer's value to the block that it points into: straight lines in
   * the gaps between the columns, and above all of them where columns lie
   * between.  So none crosses a box.
   */
  arrows() {
    if (!this.element.isConnected || this.at === undefined) return;
    const STEP = 4, columns = [...this.heap.querySelectorAll('.column')], lanes = new Map();
    const lane = gap => { lanes.set(gap, (lanes.get(gap) || 0) + 1); return lanes.get(gap) * STEP; };
    const found = [];
    for (const [c, tr] of this.rows) {
      const to = this.memory.target(this.memory.value(c, this.at, this.at).value);
      const box = to && this.boxes.get(to), from = this.boxes.get(c.block);
      if (box && !box.hidden && !from.hidden && to !== c.block) found.push({tr, from, box});
    }
    const column = e => columns.findIndex(k => k.contains(e));
    const far = found.filter(f => column(f.box) !== column(f.from) + 1 && column(f.box) !== column(f.from));
    this.heap.style.paddingTop = (far.length ? far.length * STEP + 8 : 0) + 'px';
    const origin = this.heap.getBoundingClientRect();
    this.svg.replaceChildren();
    this.svg.setAttribute('width', origin.width);
    this.svg.setAttribute('height', origin.height);
    const edge = (i, side) => columns[i].getBoundingClientRect()[side] - origin.left;
    for (const {tr, from, box} of found) {
      const a = tr.lastChild.getBoundingClientRect(), b = box.getBoundingClientRect(), f = from.getBoundingClientRect();
      const here = column(from), there = column(box);
      const x1 = f.right - origin.left, y1 = (a.top + a.bottom) / 2 - origin.top, y2 = b.top + 12 - origin.top;
      const gap = edge(here, 'right') + lane(here);
      let d = `M${x1} ${y1} H${gap}`, x2, side = -1; /* it comes from the left */
      if (there === here) {
        x2 = b.right - origin.left;
        side = 1;
      } else if (there === here + 1) {
        x2 = b.left - origin.left;
      } else {
        x2 = b.left - origin.left;
        d += ` V${lane('top')} H${edge(there, 'left') - 6 - lane(there - 1)}`;
      }
      draw('path', {d: d + ` V${y2} H${x2 + side * 5}`}, this.svg);
      draw('path', {class: 'head', d: `M${x2} ${y2} l${side * 7} -4 v8 z`}, this.svg);
    }
  }
}

/* ---- step by step ---- */
class Stepper {
  constructor(model) {
    this.model = model;
    this.at = 0;
    this.source = new Source(model);
    this.memory = new MemoryView(model.memory);
    this.line = new TimeLine(model, i => this.go(i));
    this.trs = [];
    this.build();
  }

  build() {
    const rows = this.model.rows, n = rows.length;
    const button = (label, key, word, act) => make('button', {type: 'button', 'aria-label': word, title: word + ' (' + key + ')', onclick: act}, label);
    this.first = button('First', 'Home', 'First step', () => this.go(0));
    this.back = button('◀ Back', '←', 'Previous step', () => this.move(-1));
    this.next = button('Next ▶', '→', 'Next step', () => this.move(1));
    this.end = button('Last', 'End', 'Last step', () => this.go(this.at < this.model.last ? this.model.last : n - 1));
    this.slider = make('input', {type: 'range', min: '1', max: String(n), value: '1', 'aria-label': 'Step',
      oninput: () => this.go(Number(this.slider.value) - 1)});
    this.where = make('span', {class: 'where soft'});
    this.say = make('p', {class: 'say mono', id: 'step', 'aria-live': 'polite'});
    this.grid = this.table();
    this.shown = make('pre', {class: 'shown mono'});
    this.shownBox = make('div', {class: 'box', hidden: true}, make('div', {class: 'title'}, make('h3', {}, 'State (FL_SHOW)')), this.shown);
    this.buffers = make('div', {class: 'buffers'});
    const buffered = this.model.memory.buffers.size;
    this.element = section('interleaving', this.model.run.verdict === 'pass' ? 'The execution, step by step' : 'The failing execution, step by step',
      make('div', {class: 'controls', role: 'group', 'aria-label': 'Stepping'}, this.first, this.back, this.next, this.end, button('Decisive', 'd', 'The step that decides', () => this.go(this.model.decisive)), this.slider, this.where),
      this.say,
      make('div', {class: 'stage' + (this.model.threads.length > 2 ? ' crowd' : '')}, this.grid, make('div', {class: 'right'}, this.source.files.length ? make('div', {}, this.source.box, this.source.legend()) : null,
        this.shownBox,
        buffered ? make('div', {class: 'box'}, make('div', {class: 'title'}, make('h3', {}, 'Store buffers')), this.buffers) : null,
        this.memory.empty ? null : this.memory.element)),
      this.filters());
    this.element.addEventListener('keydown', e => this.key(e));
  }

  table() {
    const {threads, rows, run} = this.model;
    const head = make('tr', {}, ...threads.map(t => {
      const th = make('th', {scope: 'col'}, threadName(t));
      th.style.color = threadColor(t);
      return th;
    }));
    const body = make('tbody', {});
    const files = new Set(rows.filter(r => r.line).map(r => r.file));
    const PARTS = {initial: 'Before the threads', final: 'After the threads'};
    let before = null;
    rows.forEach((r, i) => {
      if (PARTS[r.part] && (!before || before.part !== r.part))
        body.append(make('tr', {class: 'part'}, make('td', {colspan: String(threads.length)}, PARTS[r.part])));
      const tr = make('tr', {class: before && before.thread !== r.thread ? 'switch' : '', onclick: () => this.go(i)});
      const ln = r.line ? (files.size > 1 ? baseName(r.file) + ':' : '') + r.line : '';
      const text = make('span', {class: 'is-' + r.kind}, r.kind === 'fault' && '✗ ', ...breakable(pretty(r.text)),
        r.times > 1 ? make('span', {class: 'times', title: 'went round so often without a change'}, '×' + r.times) : null);
      const what = r.kind === 'step' || r.kind === 'wait' || (ln && r.kind === 'fault')
        ? make('div', {class: 'step'}, make('span', {class: 'ln'}, ln), text) : text;
      const alone = !threads.includes(r.thread); /* main, before and after the threads */
      for (const t of alone ? [r.thread] : threads) {
        const td = make('td', alone ? {colspan: String(threads.length)} : {}, t === r.thread ? who(t) : null, t === r.thread ? what : null);
        if (t === r.thread) td.style.borderLeftColor = threadColor(t);
        tr.append(td);
      }
      if (i === this.model.decisive) tr.classList.add('decides');
      if (i) tr.classList.add('later');
      this.trs.push(tr);
      body.append(tr);
      before = r;
    });
    return make('div', {class: 'box steps', tabindex: '0', role: 'region', 'aria-label': 'Interleaving; arrow keys step'},
      make('table', {'aria-label': 'Interleaving, one column a thread'}, make('thead', {}, head), body),
      run.events_truncated ? make('p', {class: 'warn small'}, 'The recording was full: the last events are missing.') : null);
  }

  filters() {
    const locations = [...new Set(this.model.rows.map(r => r.location).filter(Boolean))];
    this.location = make('select', {'aria-label': 'Location', onchange: () => this.filter()},
      make('option', {value: ''}, 'all locations'), ...locations.map((l, i) => make('option', {value: String(i + 1)}, l)));
    this.locations = locations;
    this.changes = make('input', {type: 'checkbox', id: 'changes', onchange: () => this.filter()});
    this.outside = make('input', {type: 'checkbox', id: 'outside', onchange: () => this.filter()});
    return make('div', {class: 'filters', role: 'group', 'aria-label': 'Filters'},
      make('label', {}, 'Follow', this.location),
      make('label', {for: 'changes'}, this.changes, 'hide reads'),
      this.model.rows.some(r => r.part !== 'threads') ? make('label', {for: 'outside'}, this.outside, 'threads only') : null);
  }

  visible(i) {
    const r = this.model.rows[i];
    return !(this.changes.checked && r.reads) && !(this.outside.checked && r.part !== 'threads');
  }

  filter() {
    const wanted = this.locations[Number(this.location.value) - 1];
    this.model.rows.forEach((r, i) => {
      this.trs[i].hidden = !this.visible(i);
      this.trs[i].classList.toggle('dim', wanted !== undefined && r.location !== wanted && r.kind === 'step');
    });
    if (!this.visible(this.at)) this.move(this.model.rows.findIndex((_, i) => i > this.at && this.visible(i)) >= 0 ? 1 : -1);
  }

  move(by) {
    for (let i = this.at + by; i >= 0 && i < this.trs.length; i += by)
      if (this.visible(i)) { this.go(i); return; }
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || ['INPUT', 'SELECT', 'TEXTAREA'].includes(e.target.tagName)) return;
    const inSource = e.target === this.source.box || e.target === this.memory.element;
    const moves = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: inSource ? 0 : 1, ArrowUp: inSource ? 0 : -1, j: 1, k: -1};
    if (moves[e.key]) this.move(moves[e.key]);
    else if (e.key === 'd') this.go(this.model.decisive);
    else if (e.key === 'Home' && !inSource) this.go(0);
    else if (e.key === 'End' && !inSource) this.go(this.at < this.model.last ? this.model.last : this.trs.length - 1);
    else return;
    e.preventDefault();
  }

  /* Where the threads stand behind row i: behind their last step, as long as
   * they are in a call. */
  cursors(i) {
    const last = new Map();
    for (let k = 0; k <= i; k++) {
      const r = this.model.rows[k];
      if (r.kind === 'return') last.delete(r.thread);
      else if (r.line) last.set(r.thread, {thread: r.thread, file: r.file, line: r.line, now: k === i});
    }
    return [...last.values()];
  }

  go(i, quiet) {
    const rows = this.model.rows;
    i = Math.max(0, Math.min(rows.length - 1, i));
    this.trs[this.at].classList.remove('now');
    this.trs[this.at].removeAttribute('aria-current');
    for (let k = Math.min(this.at, i); k <= Math.max(this.at, i); k++) this.trs[k].classList.toggle('later', k > i);
    this.at = i;
    const r = rows[i], tr = this.trs[i];
    tr.classList.add('now');
    tr.setAttribute('aria-current', 'step');
    this.slider.value = String(i + 1);
    this.slider.setAttribute('aria-valuetext', 'step ' + (i + 1) + ' of ' + rows.length);
    this.where.textContent = 'Step ' + (i + 1) + ' of ' + rows.length;
    this.say.replaceChildren(who(r.thread), (r.line ? baseName(r.file) + ':' + r.line + ' ' : '') + pretty(r.text) + (r.times > 1 ? ' ×' + r.times : ''));
    /* Not `disabled`: the button would lose the focus. */
    for (const b of [this.first, this.back]) b.setAttribute('aria-disabled', String(i === 0));
    for (const b of [this.next, this.end]) b.setAttribute('aria-disabled', String(i === rows.length - 1));
    if (!quiet) reveal(this.grid, tr);
    this.source.show(this.cursors(i), true);
    this.line.show(i);
    const until = r.event === null ? this.model.run.events.length : r.until;
    this.memory.show(r.event === null ? until : r.event, until);
    this.showState(i);
    this.showBuffers(until);
  }

  showState(i) {
    let text = null;
    for (let k = 0; k <= i; k++) if (this.model.rows[k].kind === 'note') text = this.model.rows[k].text;
    this.shownBox.hidden = text === null;
    this.shown.textContent = text || '';
  }

  showBuffers(until) {
    this.buffers.replaceChildren(...[...this.model.memory.buffers].map(([t, stores]) => {
      const now = stores.filter(s => s.from <= until && s.to > until);
      return make('div', {}, who(t), now.length ? make('ol', {}, ...now.map(s => make('li', {}, s.event.location + ' = ' + s.event.value))) : make('span', {class: 'soft'}, 'empty'));
    }));
  }
}

/* ---- the page ---- */
function show(number) {
  const model = modelOf(runs[number]), main = document.getElementById('main'), head = document.getElementById('head');
  const run = model.run;
  sections.length = 0;
  document.title = (run.diagnostic ? run.diagnostic.message : verdictWord(run)[0]) + ' · ' + run.object + ' · Faultline';
  head.replaceChildren();
  if (runs.length > 1)
    head.append(make('p', {role: 'group', 'aria-label': 'Objects'}, ...runs.map((r, i) => make('button', {type: 'button', 'aria-pressed': String(i === number),
      onclick: () => show(i)}, r.object + ': ' + verdictWord(r)[0])).flatMap(b => [b, ' '])));
  head.append(...answer(model).filter(Boolean));
  main.replaceChildren();
  let stepper = null;
  if (model.rows.length) {
    stepper = {};
    stepper = new Stepper(model);
    const client = run.calls.length ? section('client', 'Calls and results') : null;
    if (client) {
      const early = run.calls.filter(c => c.part === 'initial');
      if (early.length && !model.rows.some(r => r.part === 'initial' && r.kind === 'call'))
        client.append(make('p', {}, 'Before the threads: ', code(early.map(c => c.call + (c.returned && c.text !== 'void' ? ' = ' + c.text : '')).join('; '))));
      client.append(make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Time-line of the calls'}, stepper.line.element));
      if (model.disagree.size) client.append(make('p', {class: 'soft small'}, 'Time goes to the right. ', make('span', {class: 'bad'}, 'Red'), ': results that are the first to be wrong in an order of the calls.'));
    }
    main.append(stepper.element);
    if (client) main.append(client);
  }
  main.append(...[refutations, fences, causes, nearest, races, outcomes].map(f => f(model)).filter(Boolean));
  document.getElementById('contents').replaceChildren(make('ul', {}, ...sections.map(([id, title]) => make('li', {}, make('a', {href: '#' + id}, title)))));
  document.getElementById('contents').hidden = sections.length < 2;
  document.getElementById('foot').replaceChildren(json(), make('p', {class: 'soft small'}, 'Written by faultline. A run that finds no fault says what was searched, not that the code is correct.'));
  if (stepper) {
    stepper.go(model.decisive);
    stepper.source.showBlamed(run.diagnostic);
    document.addEventListener('keydown', e => { if (e.target === document.body && stepper.element.isConnected) stepper.key(e); });
  }
}
const worst = runs.findIndex(r => r.verdict === 'violation' || r.verdict === 'error');
show(Math.max(0, worst));
