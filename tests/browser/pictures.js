// See pictures.sh.  Arguments: the folder of the pages, and that of the pictures.
'use strict';
const { chromium } = require('playwright-core');
const { pathToFileURL } = require('url');

const [folder, pictures] = process.argv.slice(2);

/* Makes the step whose text matches the current one. */
async function goTo(p, pattern) {
  const n = Number((await p.textContent('.where')).match(/of (\d+)/)[1]);
  for (let i = 1; i <= n; i++) {
    await p.$eval('input[type=range]', (e, i) => {
      e.value = String(i);
      e.dispatchEvent(new Event('input'));
    }, i);
    if (pattern.test(await p.textContent('#step'))) return;
  }
  throw new Error('no step like ' + pattern);
}

/* From the top of one element to the bottom of another, or to a height. */
async function picture(p, name, first, last, most) {
  await p.evaluate(() => { document.querySelector('nav')?.style.setProperty('position', 'static'); });
  const clip = await p.evaluate(([first, last, most]) => {
    const a = document.querySelector(first).getBoundingClientRect();
    const b = document.querySelector(last).getBoundingClientRect();
    const top = Math.max(0, a.top + scrollY - 8);
    return { x: 0, y: top, width: innerWidth, height: Math.min(b.bottom + scrollY + 8 - top, most) };
  }, [first, last, most || 2000]);
  await p.screenshot({ path: `${pictures}/${name}.png`, clip, fullPage: true });
}

(async () => {
  const browser = await chromium.launch({
    executablePath: process.env.BROWSER,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--hide-scrollbars', '--disable-lcd-text'] });
  const open = async (name, width, colorScheme) => {
    const p = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    p.setDefaultTimeout(20000);
    await p.goto(pathToFileURL(`${folder}/${name}.html`).href);
    await p.waitForSelector('h1');
    return p;
  };
  let p = await open('fault', 1100, 'light');
  await picture(p, 'fault', 'body', 'body', 800);
  await picture(p, 'lines', '#lines', '#lines');
  p = await open('fault', 400, 'dark');
  await goTo(p, /write stack\.items\[0\]: 0 → 1/);
  await picture(p, 'narrow', '#head', '#main', 1340);
  p = await open('tso', 1100, 'light');
  await goTo(p, /T2.*load flag\[0\] = 0/);
  await picture(p, 'tso', '#interleaving', '#interleaving');
  p = await open('history', 1100, 'light');
  await picture(p, 'history', 'body', 'body', 700);
  await browser.close();
})().catch(e => { console.log(e.message); process.exit(1); });
