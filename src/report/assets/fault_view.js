/* ---- making elements; texts only ever become text nodes ---- */

function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {}))
    if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
    else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v === true ? '' : v);
  e.append(...children.filter(c => c !== null && c !== undefined && c !== false));
  return e;
}
/* A text whose long names break between their parts. */
const breakable = text => text.split(/(?<=[._]|::|->)(?=\w)/).flatMap((t, i) => i ? [make('wbr'), t] : [t]);
function draw(tag, attributes, parent) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (parent) parent.append(e);
  return e;
}
const code = text => make('code', {}, text);
const who = t => { const e = make('span', {class: 'who'}, threadName(t)); e.style.color = threadColor(t); return e; };

const sections = [];
function section(id, title, ...children) {
  const h = make('h2', {id: id + '-title'}, title);
  const s = make('section', {id, 'aria-labelledby': id + '-title'}, h, ...children);
  sections.push([id, title]);
  return s;
}

async function copy(text, button) {
  const before = button.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch (e) { /* not allowed to a file: the old way */
    const area = make('textarea', {'aria-hidden': 'true'});
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
    button.focus();
  }
  button.textContent = done ? 'Copied' : 'Press Ctrl+C';
  setTimeout(() => { button.textContent = before; }, 1500);
}

const FAULT_WORDS = {
  'not-linearizable': 'Not linearizable', 'sequential': 'Wrong without concurrency',
  'use-after-free': 'Use after free', 'use-after-return': 'Use after return', 'double-free': 'Double free', 'bad-free': 'Bad free',
  'out-of-bounds': 'Out of bounds', 'endless-loop': 'Endless loop or wait',
  'assert': 'Assertion failed', 'divergence': 'Not deterministic', 'exit': 'Exit called', 'leak': 'Memory leak', 'invariant': 'Invariant violated', 'progress': 'No progress',
  'stack-overflow': 'Stack overflow', 'lock-misuse': 'Lock misuse', 'out-of-memory': 'Out of memory'};
const PROPERTIES = {sequential: 'sequentially consistent', quiescent: 'quiescently consistent',
  'happens-before': 'consistent with happens-before'};
function verdictWord(run) {
  if (run.verdict === 'pass') return ['No fault found', 'pass'];
  if (run.verdict === 'unknown') return ['Inconclusive', 'unknown'];
  const f = run.fault;
  return [f === 'not-linearizable' && PROPERTIES[run.criterion] ? 'Not ' + PROPERTIES[run.criterion]
    : FAULT_WORDS[f] || f[0].toUpperCase() + f.slice(1), ''];
}
const MODELS = {sc: 'sequential consistency (SC)', tso: 'total store order (TSO)'};
const placeText = p => p && p.file ? baseName(p.file) + (p.line ? ':' + p.line : '') : '';

/* What to do, in one sentence; null: nothing is known. */
function fix(run) {
  const best = (run.causes || [])[0];
  if (!run.fix) return null;
  return [run.fix, ...(best && !(run.kind && run.kind.fix) ? [' ', make('a', {href: '#lines', class: 'soft'}, 'Why these lines'), '.'] : [])];
}

/* ---- the answer ---- */
/* "crash in get()" begins with a capital letter, "get() is …" does not. */
const sentence = s => /^[a-z-]+ /.test(s) ? s[0].toUpperCase() + s.slice(1) : s;
function answer(model) {
  const run = model.run, d = run.diagnostic;
  const [word, kind] = verdictWord(run);
  const facts = make('dl', {class: 'facts'});
  const fact = (name, value) => { if (value) facts.append(make('dt', {}, name), make('dd', {}, value)); };
  const upper = s => s && s[0].toUpperCase() + s.slice(1);
  fact('Searched', upper(run.coverage.sentence));
  fact('Ended by', run.coverage.limit);
  fact('Compared with', run.spec);
  const search = [run.search && 'search ' + run.search, run.heap && 'heap ' + run.heap,
    'seed ' + number(run.seed)].filter(Boolean).join(', ');
  fact('Memory model', MODELS[run.memory_model] || run.memory_model);
  fact('Settings', search);
  fact('Work', many(run.statistics.clients, 'client') + ', ' + many(run.statistics.executions, 'execution'));
  fact('Schedule', run.schedule && code(run.schedule));
  const button = run.replay && make('button', {type: 'button', class: 'copy', onclick: () => copy(run.replay, button)}, 'Copy');
  if (button) button.setAttribute('aria-label', 'Copy the replay command');
  const row = (name, ...value) => [make('dt', {}, name), make('dd', {}, ...value)];
  return [
    make('div', {}, make('span', {class: 'kind ' + kind}, word), ' ',
      make('span', {class: 'soft small'}, 'object ', code(run.object),
        d && d.file ? [', ' + placeText(d) + (d.function && !d.function.startsWith('fl__') ? ' in ' + d.function + '()' : '')].join('') : '')),
    make('h1', {}, d ? sentence(d.message) : run.verdict === 'pass' && !run.client ? word + ' in ' + many(run.statistics.clients, 'client') : run.reason || word),
    make('dl', {class: 'brief'},
      ...(run.client ? row(run.client_is_minimal ? 'Smallest client' : 'Client', code(run.client)) : []),
      ...(fix(run) ? row('Fix', ...fix(run)) : []),
      ...(button ? row('Replay', make('div', {class: 'command'}, code(run.replay), button)) : [])),
    run.partial && make('p', {class: 'warn'}, 'This run is partial: some accesses are not seen.'),
    ...run.warnings.map(w => make('p', {class: 'warn small'}, w)),
    make('details', {class: 'more', open: run.verdict !== 'violation' && run.verdict !== 'error'}, make('summary', {}, run.verdict === 'pass' ? 'What was searched' : 'How it was found'), facts,
      d && d.notes.length ? make('ul', {class: 'notes soft'},
        ...d.notes.map(n => make('li', {}, placeText(n), n.file ? ': ' : '', n.message))) : null,
      run.minimal && run.minimal.type ? make('p', {class: 'soft'}, run.minimal.type === 1
        ? 'The concurrent calls show the fault by themselves (type 1).'
        : 'The concurrent calls do not show the fault: their results are explained. Only the calls after them do (type 2).') : null),
    run.verdict === 'pass' && make('p', {class: 'soft'}, 'This is about these clients only. Faults that need more threads, calls or values, ' +
      'a weaker memory model, other compiler flags or code without instrumentation are not seen. ', code('faultline help pass'), ' tells more.')];
}

/* ---- the table of outcomes ---- */
function outcomes(model) {
  const run = model.run, list = run.outcomes;
  if (!list || !list.length) return null;
  const calls = run.calls.length ? run.calls : list[0].results.map((_, i) => ({call: 'call ' + (i + 1), thread: 0}));
  const texts = o => o.texts || o.results.map(String);
  const columns = calls.map((_, i) => i).filter(i => list.some(o => texts(o)[i] !== ''));
  const head = make('tr', {}, ...columns.map(i => make('th', {scope: 'col'}, who(calls[i].thread), code(calls[i].call))),
    make('th', {scope: 'col', class: 'n'}, 'executions'), make('th', {scope: 'col'}, 'allowed'));
  const body = list.map(o => make('tr', {class: o.allowed ? '' : 'refused'},
    ...columns.map(i => make('td', {}, code(texts(o)[i] || 'waits'))),
    make('td', {class: 'n'}, number(o.executions)),
    make('td', {}, o.allowed ? 'yes' : 'no')));
  if (!columns.length && !run.calls.length) return null; /* a program */
  const silent = !columns.length && make('p', {}, 'No call returns anything: ' +
    many(list.reduce((n, o) => n + Number(o.executions), 0), 'execution') + ' came to an end.');
  const note = run.outcomes_of_all ? 'All schedules of the client.' :
    run.outcomes_of_all === false ? 'Executions that the search over states had to run; not all schedules.' : '';
  return section('outcomes', 'Outcomes', silent ||
    make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of outcomes'},
      make('table', {class: 'data'}, make('thead', {}, head), make('tbody', {}, ...body))),
    run.outcome_faults ? make('p', {class: 'bad'}, many(run.outcome_faults, 'execution'), ' ended in a fault instead.') : null,
    note && make('p', {class: 'soft small'}, note));
}

/* ---- why no order explains the results ---- */
function refutations(model) {
  const run = model.run, list = run.refutations || [];
  if (!list.length) return null;
  const FEW = 12;
  const callText = i => run.calls[i].call + (run.calls[i].text && run.calls[i].text !== 'void' ? ' = ' + run.calls[i].text : '');
  const MOST = 40, KEPT = 6; /* calls of an order */
  const item = r => make('li', {}, ...r.order.flatMap((id, k) => {
    const last = k === r.order.length - 1, hidden = r.order.length > MOST ? r.order.length - 1 - KEPT : 0;
    if (k < hidden) return k ? [] : [make('span', {class: 'soft'}, many(hidden, 'call') + ' in order →')];
    const chip = make('span', {class: 'chip' + (last ? ' wrong' : '')}, who(run.calls[id].thread), last ? run.calls[id].call : callText(id));
    if (!last) return [chip, make('span', {class: 'then', 'aria-hidden': 'true'}, '→')];
    return [chip, make('span', {class: 'bad'}, r.waits ? 'would have to wait, ' : 'should return ' + (r.bound ? r.bound + ' ' : '') +
      (r.text || (run.calls[id].text && run.calls[id].text !== 'void' ? 'something else' : 'nothing')) + ', ',
      run.calls[id].returned ? 'returned ' + (run.calls[id].text || 'nothing') : 'did not return')];
  }));
  const ol = make('ol', {class: 'orders'}, ...list.slice(0, FEW).map(item));
  const rest = list.length > FEW && make('button', {type: 'button', onclick: () => {
    ol.append(...list.slice(FEW).map(item));
    rest.remove();
  }}, 'Show ' + many(list.length - FEW, 'more order'));
  return section('why', 'Why it is not ' + (PROPERTIES[run.criterion] || 'linearizable'),
    make('p', {class: 'soft'}, 'Each order of the calls that ' + (PROPERTIES[run.criterion] ? 'this allows' : 'real time allows') + ', up to the first result that is wrong in it.'),
    ol, rest, run.more_refutations ? make('p', {class: 'soft'}, 'And ' + many(run.more_refutations, 'more order') + '.') : null);
}

/* ---- why these lines ---- */
const blockText = b => (b.first === b.last ? 'line ' + b.first : 'lines ' + b.first + '–' + b.last) +
  (b.file ? ' of ' + baseName(b.file) : '') + (b.function ? ', in ' + b.function + '()' : '');
const blocksText = list => list.map(blockText).join(' and ');

function causes(model) {
  const run = model.run, list = run.causes || [], all = run.traces;
  if (!list.length) return null;
  const before = all.schedules;
  const counted = before && list.some(c => c.schedules);
  const row = c => make('tr', {},
    make('td', {class: 'n'}, String(c.rank)), make('td', {}, blocksText(c.blocks)),
    make('td', {class: 'n'}, number(c.eliminates) + ' of ' + number(all.good)),
    counted && make('td', {class: 'n'}, c.schedules ? rough(before.failing) + ' → ' + rough(c.schedules.failing) : ''),
    counted && make('td', {class: 'n'}, c.schedules ? rough(before.all) + ' → ' + rough(c.schedules.all) : ''),
    make('td', {class: c.enforced ? 'good' : c.still_fails ? 'bad' : 'soft'},
      c.verified ? 'verified' : c.enforced ? 'no fault' : c.still_fails ? 'not enough' : c.tried ? 'not decided' : 'not tried'));
  const best = list[0];
  const smaller = best.smaller.map(x => blocksText(x.blocks) + ': ' + x.still_fails + ' still fails');
  return section('lines', 'Why these lines',
    make('p', {class: 'soft'}, (all.complete ? '' : 'At least ') + many(all.failing, 'order') + ' of conflicting accesses ' +
      (Number(all.failing) === 1 ? 'fails' : 'fail') + (Number(all.mixed) ? ', ' + number(all.mixed) + ' of them only in some of their schedules' : '') +
      '; ' + many(all.good, 'order') + (Number(all.good) === 1 ? ' is' : ' are') + ' correct. With one of these candidates atomic, none of the failing ones could happen.'),
    make('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Table of candidates'},
      make('table', {class: 'data'}, make('thead', {}, make('tr', {},
        make('th', {scope: 'col', class: 'n'}, 'rank'), make('th', {scope: 'col'}, 'atomic'),
        make('th', {scope: 'col', class: 'n'}, 'correct orders lost'),
        counted && make('th', {scope: 'col', class: 'n'}, 'failing schedules'),
        counted && make('th', {scope: 'col', class: 'n'}, 'all schedules'), make('th', {scope: 'col'}, 'searched again'))),
      make('tbody', {}, ...list.map(row)))),
    make('div', {class: 'cause'}, make('h3', {}, 'The best: ' + blocksText(best.blocks)),
      best.covered && make('p', {}, (best.enforced ? 'Searched again without interrupting them: no fault in ' : 'Searched: ') + best.covered + '.'),
      best.verified && !best.suggestion && make('p', {}, 'Verified: with a lock in exactly these lines, compiled and searched again, no fault in ' + (best.verified_in || 'the search') + '.'),
      best.lock_fails && make('p', {class: 'warn'}, 'Not verified: ' + best.lock_fails + '.'),
      best.still_fails && make('p', {class: 'bad'}, 'Not enough: ', code(best.still_fails), ' still fails (' + best.still_fault + ').'),
      best.waits && make('p', {class: 'warn'}, 'A thread inside of the lines may have to wait for a lock.'),
      smaller.length ? make('p', {}, (best.smallest ? 'No smaller block is enough, all were tried: ' : 'Smaller blocks are not enough: ') + smaller.join('; ') + '.') : null,
      best.suggestion && make('p', {}, 'To make them atomic, ' + best.suggestion + '.'),
      run.patch && make('p', {}, run.patch.file ? 'Patch ' : 'No patch: ', run.patch.file ? code(run.patch.file) : run.patch.reason || '',
        run.patch.file ? ' ' + (run.patch.what || '') + (run.patch.verified ? ' Verified: compiled and searched again, no fault was found.' : '') : '')),
    run.failing_outcomes && run.failing_outcomes.length ? make('details', {}, make('summary', {}, 'The best for each failing outcome by itself'),
      make('ul', {}, ...run.failing_outcomes.map(o => make('li', {}, code(o.results.map(String).join(', ')), ' (' + many(o.failing, 'order') + '): ' +
        o.causes.slice(0, 3).map(c => blocksText(c.blocks)).join('; or '))))) : null);
}

/* ---- the missing fences ---- */
const fenceText = f => f.at_return ? 'after line ' + f.after_line + ', before the return'
  : f.after_line && f.after_line !== f.before_line
  ? 'between line ' + f.after_line + ' and line ' + f.before_line : 'before the load in line ' + f.before_line;
function fences(model) {
  const list = (model.run.fences || []).filter(f => f.verified);
  if (!list.length) return null;
  return section('fences', list.length > 1 ? 'The missing fences' : 'The missing fence',
    make('p', {class: 'soft'}, 'Under sequential consistency this client passes as it is: its stores wait in buffers for too long.'),
    make('div', {class: 'cause'},
      make('ul', {class: 'fences'}, ...list.map(f => make('li', {}, f.function + '(): ' + fenceText(f) + ' (' + baseName(f.file) + '), ',
        code('atomic_thread_fence(memory_order_seq_cst)')))),
      make('p', {}, 'With ' + (list.length > 1 ? 'them' : 'it') + ' in place, no fault under TSO' +
        (list[0].covered ? ' (' + list[0].covered + ')' : '') + '. No smaller set of fences makes all of the failing executions impossible that were found.')));
}

/* ---- the nearest passing execution ---- */
function nearest(model) {
  const near = model.run.nearest;
  if (!near) return null;
  const s = section('nearest', 'The nearest passing execution', make('p', {}, near.sentence));
  if (!near.rows) return s;
  const key = r => [r.thread, r.part, r.kind, r.line, r.text, r.times].join('\u0000');
  const a = model.rows, b = near.rows;
  let same = 0;
  while (same < a.length && same < b.length && key(a[same]) === key(b[same])) same++;
  const KEPT = 2, MOST = 1500, skip = Math.max(0, same - KEPT);
  const pairs = Math.max(a.length, b.length) - skip > MOST ? []
    : common(a.slice(skip).map(key), b.slice(skip).map(key));
  const side = (title, rows, kind, which) => {
    const equal = new Set(pairs.map(p => p[which] + skip));
    const ol = make('ol', {});
    if (skip) ol.append(make('li', {class: 'gap'}, many(skip, 'equal step') + ' before'));
    rows.slice(skip).forEach((r, i) => ol.append(make('li', {class: equal.has(i + skip) ? '' : 'differs'},
      who(r.thread), make('span', {class: 'soft'}, r.line ? r.line + ' ' : ''), pretty(r.text),
      r.times > 1 ? make('span', {class: 'times'}, '×' + r.times) : null)));
    return make('div', {class: 'box'}, make('div', {class: 'title'}, make('h3', {class: kind}, title)), ol);
  };
  s.append(make('div', {class: 'sides'}, side('Fails', a, 'bad', 0), side('Passes', b, 'good', 1)));
  return s;
}

/* ---- the races that decide ---- */
const DOES = {read: 'reads', load: 'reads', write: 'writes', store: 'writes', rmw: 'changes', cas: 'compares and swaps',
  'cas failed': 'compares', lock: 'locks', unlock: 'unlocks', commit: 'commits', free: 'frees', alloc: 'allocates'};
/* Of `both` there is nothing to say: the races that follow decide. */
const LEADS = {good: 'nothing can go wrong any more', bad: 'it fails whatever follows'};
function races(model) {
  const list = (model.run.cdrs || []).filter(c => c.races.length);
  if (!list.length) return null;
  const single = new Set(list.flatMap(c => c.races).flatMap(r => r.accesses).map(a => a.file)).size <= 1;
  const name = a => threadName(a.thread) + (a.store_buffer ? '’s store buffer' : '');
  const access = a => [who(a.thread), a.store_buffer ? '’s store buffer, ' : '', (a.operation ? 'in ' : '') , a.operation ? code(a.operation) : '', ' ' + (DOES[a.kind] || a.kind) + ' ',
    a.location ? code(a.location) : '', a.line ? ' (' + (single ? 'line ' + a.line : placeText(a)) + ')' : ''];
  const race = r => {
    const [first, ...others] = r.accesses;
    return make('li', {}, ...access(first), ' before ', ...others.flatMap((o, i) => [i ? ' and ' : '', ...access(o)]),
      make('div', {class: 'soft small'}, r.accesses.filter(a => LEADS[a.leads_to]).map((a, i) => (i ? 'if ' : 'If ') + name(a) + (i ? ' does, ' : ' runs first, ') + LEADS[a.leads_to]).join('; ')));
  };
  const one = c => [make('p', {class: 'soft'}, 'Pattern ', code(c.pattern), ': ' + rough(c.count) + ' of ' + rough(model.run.tree.failing) +
    (Number(model.run.tree.failing) === 1 ? ' way' : ' ways') + ' to fail.'), make('ol', {class: 'races'}, ...c.races.map(race))];
  return section('races', 'The races that decide', ...one(list[0]),
    list.length > 1 ? make('details', {}, make('summary', {}, many(list.length - 1, 'more pattern')), ...list.slice(1).flatMap(one)) : null);
}

/* ---- the run as JSON ---- */
function json() {
  const pre = make('pre', {class: 'json', tabindex: '0', 'aria-label': 'The run as JSON'});
  const text = () => JSON.stringify(data, null, 2);
  const button = make('button', {type: 'button', onclick: () => copy(text(), button)}, 'Copy JSON');
  const d = make('details', {id: 'json'}, make('summary', {}, 'The run as JSON'), make('p', {}, button), pre);
  d.addEventListener('toggle', () => { if (d.open && !pre.textContent) pre.textContent = text(); });
  return d;
}
