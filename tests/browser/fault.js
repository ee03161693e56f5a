// See fault.sh.  Arguments: the folder of the pages, and one for pictures, if
// wanted.
'use strict';
const { chromium } = require('playwright-core');
const assert = require('assert');
const fs = require('fs');
const { pathToFileURL } = require('url');

const [folder, pictures] = process.argv.slice(2);

async function open(browser, name, width, colorScheme) {
  const p = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  p.setDefaultTimeout(10000);
  p.troubles = [];
  p.on('pageerror', e => p.troubles.push(e.message));
  p.on('console', m => { if (m.type() === 'error') p.troubles.push(m.text()); });
  p.on('dialog', d => { p.troubles.push('dialog ' + d.message()); d.dismiss(); });
  p.on('request', r => {
    if (!/^(file|data):/.test(r.url())) p.troubles.push('fetched ' + r.url());
  });
  await p.goto(pathToFileURL(`${folder}/${name}.html`).href);
  await p.waitForSelector('h1');
  return p;
}

const step = async p => Number((await p.textContent('.where')).match(/Step (\d+) of/)[1]);
const last = async p => Number((await p.textContent('.where')).match(/of (\d+)/)[1]);
const texts = (p, selector) => p.$$eval(selector, e => e.map(x => x.textContent));
const go = (p, n) => p.$eval('input[type=range]', (e, n) => {
  e.value = String(n);
  e.dispatchEvent(new Event('input'));
}, n);
/* The step whose text matches, made the current one. */
async function goTo(p, pattern) {
  const n = await last(p);
  for (let i = 1; i <= n; i++) {
    await go(p, i);
    if (pattern.test(await p.textContent('#step'))) return i;
  }
  throw new Error('no step like ' + pattern);
}
async function fits(p) {
  const [page, window] = await p.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(page <= window, page + ' of ' + window);
}

/* By page: what must hold of it in every width and colour. */
const tests = {
  ring: {
    async begins_at_the_load_that_misses_a_store(p) {
      assert.match(await p.textContent('#step'), /^T2ring\.c:46 load ring\.tail = 0$/);
    },
    async names_fences_before_returns(p) {
      assert.match(await p.textContent('#fences'), /put\(\): after line 40, before the return.*get\(\): after line 50, before the return/s);
      assert.doesNotMatch(await p.textContent('main'), /undefined/);
    },
  },
  tso: {
    async names_the_missing_fence(p) {
      assert.match(await p.textContent('h1'), /needs a fence/);
      assert.match(await p.textContent('#fences'), /The missing fence.*lock\(\): between line \d+ and line \d+.*no fault under TSO/s);
      assert.equal(await p.$$eval('.source tr.fence', e => e.length), 1);
    },
    async tells_that_the_concurrent_calls_show_it(p) {
      assert.match(await p.textContent('details.more'), /show the fault by themselves \(type 1\)/);
    },
    async shows_what_waits_in_the_buffers(p) {
      await goTo(p, /store turn: 0 → 1 \(buffered\)/);
      assert.match(await p.textContent('.buffers'), /T1.*flag\[0\] = 1.*turn = 1.*T2.*empty/s);
      await goTo(p, /commit turn: 0 → 1/);
      assert.doesNotMatch(await p.textContent('.buffers'), /T1.*turn = 1.*T2/s);
    },
    async tells_races_of_store_buffers(p) {
      assert.match(await p.textContent('#races'), /T1’s store buffer, in add\(0\) commits/);
      assert.doesNotMatch(await p.textContent('main'), /T17/);
      assert.match(await p.textContent('#nearest'), /stores, up to that of line \d+, reach memory before T2 runs line/);
    },
  },
  aba: {
    async says_what_is_wrong(p) {
      assert.equal(await p.textContent('.kind'), 'Crash');
      assert.match(await p.textContent('h1'), /^ABA: pop\(\) replaces stack\.top/);
      assert.match(await p.textContent('.facts'), /sequential consistency.*seed 1/s);
      assert.match(await p.title(), /Faultline/);
    },
    async copies_the_replay_command(p) {
      await p.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await p.click('.copy');
      await p.waitForFunction(() => document.querySelector('.copy').textContent === 'Copied');
      assert.match(await p.evaluate(() => navigator.clipboard.readText()), /^\S*faultline replay \.faultline\/stack-\w+\.schedule /);
    },
    async steps_by_button_and_slider(p) {
      await p.click('button:has-text("First")', { force: true });
      assert.equal(await step(p), 1);
      assert.equal(await p.getAttribute('button:has-text("Back")', 'aria-disabled'), 'true');
      await p.click('button:has-text("Next")');
      assert.equal(await step(p), 2);
      assert.match(await p.textContent('#step'), /T1 ?treiber_aba\.c:46 load stack\.top = &node/);
      assert.equal(await p.$$eval('tr[aria-current=step]', e => e.length), 1);
      await p.focus('input[type=range]');
      await p.keyboard.press('End');
      assert.equal(await step(p), await last(p));
      assert.equal(await p.getAttribute('button:has-text("Next")', 'aria-disabled'), 'true');
      await p.click('button:has-text("Next")', { force: true });
      assert.equal(await step(p), await last(p));
      assert.match(await p.textContent('tr[aria-current=step]'), /crash/);
    },
    async steps_by_key(p) {
      await p.click('button:has-text("First")', { force: true });
      await p.focus('.steps');
      await p.keyboard.press('ArrowDown');
      await p.keyboard.press('ArrowRight');
      await p.keyboard.press('j');
      assert.equal(await step(p), 4);
      await p.keyboard.press('ArrowUp');
      await p.keyboard.press('k');
      assert.equal(await step(p), 2);
      await p.keyboard.press('End');
      assert.equal(await step(p), await last(p));
      await p.keyboard.press('Home');
      assert.equal(await step(p), 1);
      await p.evaluate(() => document.activeElement.blur());
      await p.keyboard.press('ArrowRight');
      assert.equal(await step(p), 2, 'keys work from the page, too');
    },
    async focus_can_be_seen(p) {
      await p.focus('button:has-text("Next")');
      await p.keyboard.press('Shift+Tab');
      const width = await p.evaluate(() => getComputedStyle(document.activeElement).outlineWidth);
      assert.ok(parseFloat(width) >= 2, width);
    },
    async a_click_goes_to_a_step(p) {
      const rows = await p.$$('.steps tbody tr:not(.part)');
      await rows[4].click();
      assert.equal(await step(p), 5);
      await p.click('.bar >> nth=0');
      assert.ok(await step(p) >= 1);
    },
    async cursors_follow_the_threads(p) {
      await goTo(p, /T2.*:52 cas/);
      const pins = await p.$$eval('.source tr', rows => rows.filter(r => r.querySelector('.pin'))
        .map(r => [r.querySelector('.num').textContent, r.querySelector('.cur').textContent]));
      assert.deepEqual(pins, [['46', 'T1'], ['52', 'T2']]);
      assert.equal(await p.$$eval('.source tr.now', r => r.length), 1);
    },
    async memory_changes(p) {
      const cell = (block, field) => p.$$eval('.block', (blocks, [block, field]) => {
        for (const b of blocks)
          if (!b.hidden && b.querySelector('h4').textContent === block)
            for (const r of b.querySelectorAll('tr'))
              if (r.firstChild.textContent === field)
                return { value: r.lastChild.textContent, is: r.className, freed: b.classList.contains('freed') };
        return null;
      }, [block, field]);
      await go(p, 1);
      assert.deepEqual(await cell('stack', 'top'), { value: '&node#1', is: '', freed: false });
      assert.equal(await cell('node#2', 'next'), null, 'not there yet');
      assert.equal(await p.$$eval('.memory path.head', a => a.length), 1);
      await goTo(p, /T2.*:52 cas/);
      assert.deepEqual(await cell('stack', 'top'), { value: 'NULL', is: 'wrote', freed: false });
      assert.equal(await p.$$eval('.memory path.head', a => a.length), 0);
      await goTo(p, /T2.*free node#1/);
      assert.equal((await cell('node#1', 'value')).freed, true);
      await goTo(p, /T2.*write node#2\.value/);
      assert.deepEqual(await cell('node#2', 'value'), { value: '2', is: 'wrote', freed: false });
    },
    async arrows_cross_no_box(p) {
      const n = await last(p);
      let most = 0;
      for (let i = 1; i <= n; i++) {
        await go(p, i);
        const [arrows, crossed] = await p.evaluate(() => {
          const boxes = [...document.querySelectorAll('.block')].filter(b => !b.hidden).map(b => b.getBoundingClientRect());
          const svg = document.querySelector('.memory svg').getBoundingClientRect();
          const paths = [...document.querySelectorAll('.memory path:not(.head)')];
          return [paths.length, paths.filter(a => {
            for (let at = 1, end = a.getTotalLength() - 1; at < end; at++) {
              const q = a.getPointAtLength(at), x = q.x + svg.left, y = q.y + svg.top;
              if (boxes.some(b => x > b.left + 1 && x < b.right - 1 && y > b.top + 1 && y < b.bottom - 1)) return true;
            }
            return false;
          }).length];
        });
        most = Math.max(most, arrows);
        assert.equal(crossed, 0, 'step ' + i);
      }
      assert.ok(most > 0);
    },
    async tells_who_changed_a_field(p) {
      await goTo(p, /T2.*:52 cas/);
      assert.deepEqual(await p.$$eval('.block tr.wrote', r => r.map(x => [x.firstChild.textContent, x.dataset.by])), [['top', 'T2']]);
    },
    async filters(p) {
      const shown = () => p.$$eval('.steps tbody tr:not(.part)', r => r.filter(x => !x.hidden).length);
      const all = await shown();
      await p.check('#changes');
      assert.ok(await shown() < all);
      assert.ok(!(await p.$$eval('.steps tbody tr', r => r.filter(x => !x.hidden).map(x => x.textContent)))
        .some(t => /\bload\b/.test(t)));
      await p.click('button:has-text("First")', { force: true });
      await p.click('button:has-text("Next")');
      assert.doesNotMatch(await p.textContent('#step'), /load/, 'hidden steps are passed over');
      await p.uncheck('#changes');
      assert.equal(await shown(), all);
      await p.check('#outside');
      assert.ok(await shown() < all);
      await p.uncheck('#outside');
      await p.selectOption('.filters select', { label: 'stack.top' });
      const bright = await p.$$eval('.steps tr:not(.dim) .is-step', e => e.map(x => x.textContent));
      assert.ok(bright.length && bright.every(t => t.includes('stack.top')), bright.join());
      await p.selectOption('.filters select', { index: 0 });
      assert.equal(await p.$$eval('.steps tr.dim', e => e.length), 0);
    },
    async the_source_has_one_bracket_and_counts(p) {
      const blamed = await texts(p, '.source tr.blamed .num');
      assert.deepEqual(blamed, ['51', '52']);
      assert.equal(await p.$$eval('.source tr.first', e => e.length), 1);
      assert.equal(await p.$$eval('.source tr.last', e => e.length), 1);
      const line = await p.$$eval('.source tr', rows => {
        const r = rows.find(x => x.querySelector('.num') && x.querySelector('.num').textContent === '51');
        return [...r.querySelectorAll('.count')].map(c => Number(c.textContent.replace(/,/g, '')));
      });
      const failing = await p.evaluate(() => JSON.parse(document.getElementById('data').textContent).switches.failing);
      assert.equal(line.length, 2);
      assert.equal(line[0], failing, 'every failing execution is interrupted behind line 51');
      const folded = (await p.$$('.source .fold button')).length;
      assert.ok(folded);
      await p.click('.source .fold button');
      assert.equal((await p.$$('.source .fold button')).length, folded - 1);
    },
    async tells_why_these_lines(p) {
      assert.match(await p.textContent('#lines'), /lines 51–52.*verified/s);
      assert.match(await p.textContent('#nearest'), /Fails.*Passes/s);
      assert.ok(await p.$$eval('#nearest li.differs', e => e.length));
      assert.match(await p.textContent('#races'), /Pattern/);
    },
    async counts_add_up(p) {
      const [o, f, sw] = await p.evaluate(() => {
        const d = JSON.parse(document.getElementById('data').textContent);
        return [d.outcomes.reduce((n, x) => n + x.executions, 0), d.outcome_faults, d.switches];
      });
      assert.equal(o + f, sw.good + sw.failing);
      assert.equal(f, sw.failing);
    },
    async has_landmarks_and_names(p) {
      for (const tag of ['header', 'nav', 'main', 'footer', 'h1'])
        assert.equal(await p.$$eval(tag, e => e.length), 1, tag);
      assert.equal(await p.getAttribute('#step', 'aria-live'), 'polite');
      assert.equal(await p.$$eval('section', s => s.filter(x => !document.getElementById(x.getAttribute('aria-labelledby'))).length), 0);
      assert.equal(await p.$$eval('button', b => b.filter(x => !x.textContent.trim() && !x.getAttribute('aria-label')).length), 0);
      assert.ok((await texts(p, 'nav a')).length >= 5);
    },
    async has_the_json(p) {
      await p.click('#json summary');
      await p.waitForFunction(() => document.querySelector('.json').textContent);
      const d = JSON.parse(await p.textContent('.json'));
      assert.equal(d.fault, 'crash');
      await p.click('#json summary');
    },
  },
  hostile: {
    async keeps_hostile_texts_texts(p) {
      assert.equal(await p.$$eval('img, b, main script, header script', e => e.length), 0);
      assert.match(await p.textContent('h1'), /^get\(\) is not atomic/);
      assert.match(await p.textContent('#why'), /should return "<\/script><img src=x onerror=alert\(3\)><!--/);
      for (const b of await p.$$('.source .fold button')) await b.click();
      assert.match(await p.textContent('.source'), /<\/script><script>alert\(1\)<\/script> <!-- <img/);
      assert.match(await p.textContent('.source .title'), /<b>&amp; <img src=x onerror=alert\(4\)>\.c/);
      const n = await last(p);
      for (let i = 1; i <= n; i++) await go(p, i);
      assert.match(await p.textContent('.shown'), /<\/script><img src=x onerror=alert\(5\)>/);
      assert.equal(await p.$$eval('img', e => e.length), 0);
    },
    async marks_results_that_no_order_explains(p) {
      assert.equal(await p.$$eval('.bar .wrong', e => e.length), 2);
      assert.equal(await p.$$eval('#outcomes tr.refused', e => e.length), 1);
      assert.match(await p.textContent('#outcomes'), /All schedules/);
    },
  },
  locks: {
    async shows_who_holds_what(p) {
      await p.click('button:has-text("Last")', { force: true });
      const held = (await texts(p, '.block td:last-child')).filter(t => /held by T[12]/.test(t));
      assert.equal(held.length, 2);
      assert.match(await p.textContent('.steps'), /waits for/);
    },
  },
  pass: {
    async promises_nothing(p) {
      assert.equal(await p.textContent('.kind'), 'No fault found');
      assert.match(await p.textContent('h1'), /^No fault found in \d[\d,]* clients$/);
      assert.match(await p.textContent('.facts'), /clients/);
      assert.match(await p.textContent('header'), /about these clients only.*faultline help pass/s);
      assert.equal(await p.$$eval('section', e => e.length), 0);
      assert.ok(await p.isHidden('nav'));
    },
  },
  outcomes: {
    /* The sentence, the fix, the blamed lines and the step that decides. */
    async the_first_screen_has_the_answer(p) {
      if (p.viewportSize().width < 1000) return;
      const below = await p.evaluate(() => ['h1', '.brief', '.source tr.blamed.first', '.source tr.blamed.last', 'tr[aria-current=step]'].filter(s => {
        const e = document.querySelector(s), r = e.getBoundingClientRect(), box = e.closest('.box');
        const b = box ? box.getBoundingClientRect() : {top: 0, bottom: 800};
        return scrollY || r.top < b.top || r.bottom > Math.min(b.bottom, 800);
      }));
      assert.deepEqual(below, []);
      assert.match(await p.textContent('.brief'), /Fix.*__atomic_exchange_n.*compiled and searched, no fault/s);
      assert.equal(await p.getAttribute('.more', 'open'), null, 'how it was found is folded');
    },
    async begins_at_the_step_that_decides(p) {
      assert.match(await p.textContent('#step'), /^T1 ?afek_stack\.c:35 write stack\.items\[0\]: 0 → 1$/);
      await p.click('button:has-text("First")', { force: true });
      await p.click('button:has-text("Decisive")');
      assert.match(await p.textContent('#step'), /:35 write/);
    },
    async the_last_step_is_that_of_the_fault(p) {
      await p.click('button:has-text("Last")', { force: true });
      assert.match(await p.textContent('#step'), /^main ?returns 0$/);
      await p.click('button:has-text("Next")', { force: true });
      assert.match(await p.textContent('#step'), /free stack/, 'the destructor comes behind it');
    },
    async has_the_table(p) {
      assert.equal(await p.$$eval('#outcomes tbody tr', e => e.length), 3);
      assert.equal(await p.$$eval('#outcomes tr.refused', e => e.length), 1);
    },
  },
  crowd: {
    async three_threads_are_one_list(p) {
      assert.ok(await p.isHidden('.steps thead'));
      const rows = await p.$$eval('.steps tbody tr:not(.part)', r => r.map(x =>
        [...x.children].filter(c => c.getBoundingClientRect().width).map(c => c.textContent)));
      assert.ok(rows.length > 10 && rows.every(r => r.length === 1 && /^(T[123]|main)/.test(r[0])), JSON.stringify(rows));
    },
    async counts_are_short(p) {
      const counts = await texts(p, '.source .count');
      assert.ok(counts.length && counts.every(c => c.length <= 8), counts.join());
    },
  },
  several: {
    async shows_one_object_at_a_time(p) {
      const buttons = await p.$$('header [role=group] button');
      assert.equal(buttons.length, 2);
      const first = await p.textContent('h1');
      await (await p.$$('header [role=group] button'))[0].click();
      const a = await p.textContent('.kind');
      await (await p.$$('header [role=group] button'))[1].click();
      const b = await p.textContent('.kind');
      assert.ok(first);
      assert.notEqual(a, b);
    },
  },
  loops: {
    async folds_rounds(p) {
      assert.ok((await texts(p, '.steps .times')).every(t => /^×\d+$/.test(t)));
      assert.ok((await texts(p, '.steps .times')).length);
    },
  },
  buffers: {
    async shows_store_buffers(p) {
      const buffers = () => texts(p, '.buffers > div');
      const top = () => p.$$eval('.block tr', r => r.filter(x => x.firstChild.textContent === 'items[0]').map(x => x.lastChild.textContent)[0]);
      await goTo(p, /T1.*:35 write/);
      assert.ok((await buffers()).includes('T1stack.items[0] = 1'), (await buffers()).join());
      assert.equal(await top(), '0', 'not in memory yet');
      await go(p, await last(p));
      assert.ok((await buffers()).includes('T1empty'));
    },
  },
};

/* A page like that of `outcomes`, with T1's plain store in a buffer until its
 * call returns. */
function makeBuffers() {
  const page = fs.readFileSync(`${folder}/outcomes.html`, 'utf8');
  const open = 'id="data">', from = page.indexOf(open) + open.length, to = page.indexOf('</script>', from);
  const d = JSON.parse(page.slice(from, to));
  const at = d.events.findIndex(e => e.thread === 1 && e.kind === 'write');
  const back = d.events.findIndex((e, i) => i > at && e.thread === 1 && e.kind === 'return');
  d.memory_model = 'tso';
  d.events.splice(back, 0, { ...d.events[at], kind: 'commit', issued: at });
  d.events[at].buffered = true;
  for (const r of d.rows) if (r.event !== null && r.event >= back) r.event++;
  const row = d.rows.find(r => r.event === at);
  d.rows.splice(d.rows.findIndex(r => r.event > back), 0,
    { ...row, event: back, text: row.text.replace('write', 'commit') });
  fs.writeFileSync(`${folder}/buffers.html`, page.slice(0, from) +
    JSON.stringify(d).replace(/</g, '\\u003c') + page.slice(to));
}

(async () => {
  makeBuffers();
  const browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'] });
  let failed = 0;
  const fail = text => { failed++; console.log('FAIL ' + text); };
  for (const [width, scheme, whole] of [[1280, 'light', 1], [1280, 'dark', 0], [400, 'light', 0], [400, 'dark', 1]])
    for (const [name, all] of Object.entries(tests)) {
      const list = whole ? all : {};
      const p = await open(browser, name, width, scheme);
      if (pictures)
        await p.screenshot({ path: `${pictures}/${name}-${width}-${scheme}.png`, fullPage: true });
      for (const [what, test] of [...Object.entries(list), ['is_not_wider_than_the_window', fits]]) {
        try {
          await test(p);
        } catch (e) {
          fail(`${name}: ${what} (${width}, ${scheme}): ${e.message}`);
        }
      }
      if (p.troubles.length) fail(`${name} (${width}, ${scheme}): ` + p.troubles.join('; '));
      const back = await p.evaluate(() => getComputedStyle(document.body).backgroundColor);
      if ((back === 'rgb(255, 255, 255)') !== (scheme === 'light')) fail('colours: ' + back + ' for ' + scheme);
      await p.close();
    }
  await browser.close();
  console.log(failed ? failed + ' failed' : 'all as expected');
  process.exit(failed ? 1 : 0);
})();
