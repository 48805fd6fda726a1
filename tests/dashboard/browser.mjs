// Debian's Chromium through playwright-core, and what every page of these tests must not do.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';

const require = createRequire(`${process.env.CUZK_NODE_MODULES}/`);
const {chromium} = require('playwright-core');

export function launch() {
  return chromium.launch({
    executablePath: process.env.CUZK_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
}

/// A page that fails its test on an error of a script, a message of the console (the policy's included) or a
/// request to anywhere else. `expected`: texts of messages that the test provokes.
export async function open(browser, url, options = {}, expected = []) {
  const context = await browser.newContext({viewport: {width: 1400, height: 1000}, ...options});
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !expected.some((e) => text.includes(e))) complaints.push(`console: ${text}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return {page, close: async () => {
    await context.close();
    assert.deepEqual(complaints, []);
  }};
}

/// Waits until `read()` gives what `wanted` accepts, `seconds` at most; returns it.
export async function until(read, wanted, what, seconds = 120) {
  let value;
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    value = await read();
    if (wanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(`${what}: still ${JSON.stringify(value)}`);
}

/// The texts of a table's body, row by row.
export function rows(page, id) {
  return page.locator(`#${id} tbody tr`).evaluateAll((list) => list.map((tr) => [...tr.cells].map((td) => td.textContent)));
}

/// How many different colours the chart's canvas shows.
export function colours(page) {
  return page.locator('#gantt').evaluate((canvas) => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 24) | (data[i + 1] << 16) | (data[i + 2] << 8) | data[i + 3]);
    return seen.size;
  });
}
