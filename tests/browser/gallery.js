// See gallery.sh.  Arguments: the index, and a folder for pictures, if wanted.
'use strict';
const { chromium } = require('playwright-core');
const assert = require('assert');
const { pathToFileURL } = require('url');

const [index, pictures] = process.argv.slice(2);

async function open(browser, width, colorScheme) {
  const p = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  p.troubles = [];
  p.on('pageerror', e => p.troubles.push(e.message));
  p.on('console', m => { if (m.type() === 'error') p.troubles.push(m.text()); });
  p.on('request', r => {
    if (!/^(file|data):/.test(r.url())) p.troubles.push('fetched ' + r.url());
  });
  await p.goto(pathToFileURL(index).href);
  return p;
}

(async () => {
  const browser = await chromium.launch({ executablePath: process.env.BROWSER,
    args: ['--no-sandbox'] });
  for (const [width, scheme] of [[1280, 'light'], [400, 'dark'], [400, 'light']]) {
    const p = await open(browser, width, scheme);
    const wide = await p.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `the page is ${wide} wide in a window of ${width}`);
    const light = await p.evaluate(() =>
      getComputedStyle(document.body).backgroundColor) === 'rgb(255, 255, 255)';
    assert.equal(light, scheme === 'light');
    if (pictures)
      await p.screenshot({ path: `${pictures}/gallery-${width}-${scheme}.png` });
    await p.locator('summary').first().click();
    assert.ok(await p.locator('tr.blamed').first().isVisible(), 'blamed lines');
    const opened = await p.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(opened <= width, `with a source ${opened} wide`);
    if (pictures) {
      await p.locator('section').nth(1).scrollIntoViewIfNeeded();
      await p.screenshot({ path: `${pictures}/gallery-${width}-${scheme}-open.png` });
    }
    assert.deepEqual(p.troubles, []);
    await p.close();
  }
  const p = await open(browser, 1280, 'light');
  await p.locator('td a.plain').nth(1).click();
  assert.match(await p.title(), /Faultline|event|accounts/);
  assert.match(p.url(), /-2\.html$/);
  await p.waitForSelector('main section');
  await browser.close();
  console.log('all as expected');
})().catch(e => { console.error(e); process.exit(1); });
