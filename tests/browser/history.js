// See history.sh.  Arguments: the page, and a folder for pictures, if wanted.
'use strict';
const { chromium } = require('playwright-core');
const assert = require('assert');
const { pathToFileURL } = require('url');

const [page, pictures] = process.argv.slice(2);

async function open(browser, width, colorScheme) {
  const p = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  p.troubles = [];
  p.on('pageerror', e => p.troubles.push(e.message));
  p.on('console', m => { if (m.type() === 'error') p.troubles.push(m.text()); });
  p.on('dialog', d => { p.troubles.push('dialog ' + d.message()); d.dismiss(); });
  p.on('request', r => {
    if (!/^(file|data):/.test(r.url())) p.troubles.push('fetched ' + r.url());
  });
  await p.goto(pathToFileURL(page).href);
  await p.waitForSelector('.op.core');
  return p;
}

const inSight = (p, selector) => p.$eval(selector, e => {
  const r = e.getBoundingClientRect();
  const v = e.closest('.view').getBoundingClientRect();
  return r.right > v.left && r.left < v.right;
});
const widthOf = (p, selector) => p.$eval(selector, e => e.getBoundingClientRect().width);

const tests = {
  async says_what_is_wrong(p) {
    assert.match(await p.textContent('h1'), /3 histories not linearizable/);
    assert.match(await p.textContent('.reason'), /was dequeued before/);
    assert.equal(await p.$$eval('section.history', s => s.length), 3);
    assert.equal(await p.$$eval('tbody tr', r => r.length), 4);
    assert.match(await p.textContent('tbody'), /fine\.jsonl/);
  },
  async shows_the_core(p) {
    assert.ok(await inSight(p, '.op.core'));
    assert.equal(await p.$eval('section.history', s => s.querySelectorAll('.op.core').length), 3);
    assert.equal(await p.$eval('section.history', s => s.querySelectorAll('.op').length), 5);
  },
  async keeps_hostile_texts_texts(p) {
    assert.equal(await p.$$eval('img, main b', e => e.length), 0);
    assert.match(await p.textContent('.reason'), /<img src=x/);
  },
  async shows_faults(p) {
    assert.match(await p.textContent('.note-text'), /start-kill <\/script><b>n1/);
    const band = await widthOf(p, '.note-band'), all = await widthOf(p, '.view svg');
    assert.ok(band > 10 && band < all / 2, 'the band ends with its fault');
  },
  async zooms(p) {
    const before = await widthOf(p, '.op.core rect');
    await p.click('text=Zoom in');
    const larger = await widthOf(p, '.op.core rect');
    assert.ok(larger > before * 1.2, before + ' became ' + larger);
    await p.click('text=Zoom out');
    assert.ok(Math.abs(await widthOf(p, '.op.core rect') - before) < 2);
    await p.focus('.view');
    await p.keyboard.press('+');
    assert.ok(await widthOf(p, '.op.core rect') > before * 1.2);
    await p.keyboard.press('0');
    assert.ok(Math.abs(await widthOf(p, '.op.core rect') - before) < 2);
  },
  async tells_more_when_pointed_at(p) {
    await p.hover('.op.core');
    assert.ok(await p.isVisible('#tip'));
    assert.match(await p.textContent('#tip'), /process 1, line 2/);
    await p.mouse.move(0, 0);
    assert.ok(!await p.isVisible('#tip'));
  },
  async shows_partial_orders(p) {
    await p.click('button.order');
    assert.equal(await p.getAttribute('button.order', 'aria-pressed'), 'true');
    assert.equal(await p.$eval('section.history', s => s.querySelectorAll('.number').length), 2);
    assert.equal(await p.$eval('section.history', s => s.querySelectorAll('.refusal').length), 1);
    assert.match(await p.textContent('.about'), /would have to return/);
    await p.click('button.order');
    assert.equal(await p.$$eval('.number', n => n.length), 0);
  },
  async works_with_the_keyboard(p) {
    await p.focus('.op.core');
    assert.ok(await p.isVisible('#tip'));
    await p.keyboard.press('Enter');
    assert.match(await p.textContent('.about'), /process 1, line 2/);
    await p.keyboard.press('ArrowRight');
    assert.equal(await p.evaluate(() => document.activeElement.dataset.id), '2');
    await p.keyboard.press('Escape');
    assert.ok(!await p.isVisible('#tip'));
    await p.focus('button.order');
    await p.keyboard.press('Enter');
    assert.equal(await p.getAttribute('button.order', 'aria-pressed'), 'true');
    await p.keyboard.press('Enter');
  },
  async finds_the_core_of_a_long_history(p) {
    const long = (await p.$$('section.history'))[1];
    await long.scrollIntoViewIfNeeded();
    await p.waitForFunction(() =>
      document.querySelectorAll('section.history')[1].querySelector('.op.core'));
    assert.ok(await long.$eval('.op.core', e => {
      const r = e.getBoundingClientRect(), v = e.closest('.view').getBoundingClientRect();
      return r.right > v.left && r.left < v.right;
    }));
    assert.ok((await long.$$('.op')).length < 1600);
    assert.match(await long.textContent(), /40,001 operations in all/);
  },
  async folds_other_keys(p) {
    const keys = (await p.$$('section.history'))[2];
    await keys.scrollIntoViewIfNeeded();
    await p.waitForFunction(() => document.querySelectorAll('section.history')[2].querySelector('.op.core'));
    const ops = () => keys.$$eval('.op', o => o.map(x => x.getAttribute('aria-label').split('\n')[0]));
    assert.deepEqual(await ops(), ['write(7, 1)', 'write(7, 2)', 'read(7) = 1']);
    const button = await keys.$('button:has-text("Show 3 operations on other keys")');
    await button.click();
    assert.equal((await ops()).length, 6);
    assert.match(await button.textContent(), /^Hide 3/);
    await button.click();
    assert.equal((await ops()).length, 3);
  },
  async is_not_wider_than_the_window(p) {
    const [page, window] = await p.evaluate(() =>
      [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(page <= window, page + ' of ' + window);
  },
};

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.BROWSER, args: ['--no-sandbox'] });
  let failed = 0;
  for (const [width, scheme] of [[1280, 'light'], [1280, 'dark'], [400, 'light'], [400, 'dark']]) {
    const p = await open(browser, width, scheme);
    if (pictures)
      await p.screenshot({ path: `${pictures}/history-${width}-${scheme}.png` });
    for (const [name, test] of Object.entries(tests)) {
      try {
        await test(p);
      } catch (e) {
        failed++;
        console.log(`FAIL ${name} (${width}, ${scheme}): ${e.message}`);
      }
    }
    if (p.troubles.length) {
      failed++;
      console.log('FAIL troubles: ' + p.troubles.join('; '));
    }
    const back = await p.evaluate(() => getComputedStyle(document.body).backgroundColor);
    if ((back === 'rgb(255, 255, 255)') !== (scheme === 'light')) {
      failed++;
      console.log('FAIL colours: ' + back + ' for ' + scheme);
    }
    await p.close();
  }
  await browser.close();
  console.log(failed ? failed + ' failed' : 'all as expected');
  process.exit(failed ? 1 : 0);
})();
