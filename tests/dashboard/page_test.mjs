// The page in a browser, against a recording.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import test, {after, before} from 'node:test';

import {colours, launch, open, rows, until} from './browser.mjs';
import {eventsOf, manyDevices, Playback, statusOf} from './playback.mjs';

let browser, daemon, url;
before(async () => {
  browser = await launch();
  daemon = new Playback();
  url = await daemon.start();
});
after(async () => {
  await browser?.close();
  await daemon?.stop();
});

const recording = (name) => eventsOf(readFileSync(new URL(`../data/timeline/${name}`, import.meta.url), 'utf8'));

test('one device: every table, and the figures of the recording', async () => {
  daemon.set({status: statusOf(1, 'A'), events: recording('interlock.log'), nowMs: 65000});
  const {page, close} = await open(browser, url);
  await until(() => page.locator('#state').textContent(), (t) => t === 'ready', 'state');
  assert.match(await page.locator('#identity').textContent(), /^0\.1\.0, simulated, per-partition, up 12\.5 s$/);

  const efficiency = await until(() => rows(page, 'efficiency'), (r) => r[0]?.length === 5, 'efficiency');
  assert.deepEqual(efficiency, [['device 0', '100.00 %', '100.00 %', '–', '0 / 0 / 0']]);
  const queues = await rows(page, 'queues');
  assert.deepEqual(queues[0], ['porep-c2', '3', '1', '1 min 1 s', '5', '1']);
  assert.equal(queues.length, 4);
  assert.equal(await page.locator('#memory-text').textContent(), '24.0 GiB of 64.0 GiB');
  assert.deepEqual(await page.locator('#memory-legend li').allTextContents(), ['srs 16.0 GiB', 'witness 8.00 GiB']);
  const bar = await page.locator('#memory-bar').boundingBox();
  const used = await page.locator('#memory-bar span').first().boundingBox();
  assert.ok(Math.abs(used.width / bar.width - 0.25) < 0.01, 'a quarter of the bar is the SRS');
  assert.equal(await page.locator('#synthesis').textContent(), '2 of 4 busy');
  assert.deepEqual(await rows(page, 'srs'), [['porep-32g', 'hot', '47.0 GiB', '1'], ['snap-32g', 'cold', '33.0 GiB', '0']]);
  assert.deepEqual(await rows(page, 'devices'), [['0', 'device 0 of the test', 'ok', '20.0 GiB of 80.0 GiB', 'held, 1 waiting', '3',
    '0: JOB-RUNNING #1 1.50 s · 1: idle']]);

  const jobs = await rows(page, 'jobs');
  assert.deepEqual(jobs[0], ['JOB-RUNNING', 'porep-1000-7', 'porep-c2', 'porep-32g', 'normal', 'running', '31.2 s', ' 1/6']);
  assert.equal(jobs[1][1], '<b>porep</b>');
  assert.equal(await page.locator('#jobs b').count(), 0, 'a name is text, whatever is in it');
  assert.deepEqual(await page.locator('#jobs .partitions span').evaluateAll((l) => l.map((s) => s.className)),
      ['done', 'gpu', 'synth_done', 'synthesizing', 'pending', 'failed']);
  assert.equal(await page.locator('#jobs-note').textContent(), '2 more are waiting');
  const history = await rows(page, 'history');
  assert.deepEqual(history[0].slice(4), ['completed', '5.0 ms', '0.000 ms', '30.0 s', '21.0 s', '1 min 0 s', '9.00 s ago']);
  assert.equal(history[1][4], 'failed: SELF_CHECK: partition 3');
  assert.equal(await page.locator('#history-note').textContent(), '5 completed, 1 failed, 2 cancelled since the start');
  await close();
});

test('the recording before the interlock: 64.29 %, gaps 87 / 14 / 8', async () => {
  daemon.set({status: statusOf(1, 'B'), events: recording('ancestor.log'), nowMs: 533000});
  const {page, close} = await open(browser, url);
  const efficiency = await until(() => rows(page, 'efficiency'), (r) => r[0]?.length === 5, 'efficiency');
  assert.deepEqual(efficiency, [['device 0', '–', '64.29 %', '–', '–']]);
  await close();
});

test('eight devices have their rows', async () => {
  const events = eventsOf(manyDevices(8, 40).join('\n'));
  daemon.set({status: statusOf(8, 'C'), events, nowMs: Math.max(...events.map((e) => e[0]))});
  const {page, close} = await open(browser, url);
  assert.equal((await until(() => rows(page, 'efficiency'), (r) => r.length === 8, 'efficiency')).length, 8);
  const devices = await rows(page, 'devices');
  assert.equal(devices.length, 8);
  assert.equal(devices[1][2], 'quarantined');
  const box = await page.locator('#gantt').boundingBox();
  // Two workers, the lock and the kernels of each; and synthesis above them.
  assert.ok(box.height >= 18 * (8 * 4 + 4), `height ${box.height}`);
  assert.ok(await colours(page) > 20);
  await close();
});

for (const scheme of ['light', 'dark']) {
  test(`${scheme}: the chart and the page change together`, async () => {
    daemon.set({status: statusOf(2, 'D'), events: recording('interlock.log'), nowMs: 65000});
    const {page, close} = await open(browser, url, {colorScheme: scheme});
    await until(() => colours(page), (n) => n > 10, 'colours of the chart');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = 'rgb(246, 247, 248)';
    const dark = 'rgb(16, 19, 22)';
    assert.equal(await background(), scheme === 'light' ? light : dark);
    const theme = page.locator('#theme');
    await theme.click();
    assert.equal(await background(), light);
    await theme.click();
    assert.equal(await background(), dark);
    await page.reload();
    assert.equal(await theme.textContent(), 'dark', 'the choice is remembered');
    assert.equal(await background(), dark);
    await close();
  });
}

test('the chart: pointing, zooming, moving, and back to live', async () => {
  daemon.set({status: statusOf(1, 'E'), events: recording('interlock.log'), nowMs: 65000});
  const {page, close} = await open(browser, url);
  await page.locator('[data-span="60"]').click();
  await until(() => rows(page, 'efficiency'), (r) => r[0]?.length === 5, 'efficiency');
  const box = await page.locator('#gantt').boundingBox();
  // The third row is the lock's, held without a break.
  await page.mouse.move(box.x + box.width / 2, box.y + 2 * 18 + 9);
  await until(() => page.locator('#tip').textContent(), (t) => /^lock held: porep-1000-\d, partition \d\n2\.10 s, began/.test(t), 'tip');
  await page.mouse.wheel(0, -400);
  await until(() => page.locator('#efficiency-span').textContent(), (t) => t === 'in view, 48.0 s', 'zoom');
  assert.equal(await page.locator('[data-span="60"]').getAttribute('aria-pressed'), 'false');
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 200, box.y + 40, {steps: 4});
  await page.mouse.up();
  await until(() => page.locator('#live').getAttribute('aria-pressed'), (v) => v === 'false', 'moved away from now');
  await page.locator('#live').click();
  await until(() => page.locator('#live').getAttribute('aria-pressed'), (v) => v === 'true', 'live');
  await close();
});

test('what goes on ends where the last answer does, not at a now that nobody has told', async () => {
  const events = eventsOf('TIMELINE,5000,LOCK_ACQUIRED,a,partition=0,device=0,worker=0\n');
  daemon.set({status: statusOf(1, 'I'), events, nowMs: 35000});
  const {page, close} = await open(browser, url);
  await page.locator('[data-span="60"]').click();
  await until(() => colours(page), (n) => n > 3, 'the bar');
  const box = await page.locator('#gantt').boundingBox();
  const tips = new Set();
  for (let i = 0; i < 12; ++i) {
    for (let y = 9; y < box.height; y += 18) {
      await page.mouse.move(box.x + box.width * 0.75 + i, box.y + y);
      const tip = await page.locator('#tip');
      if (await tip.isVisible()) tips.add((await tip.textContent()).split(', began')[0]);
    }
    await page.waitForTimeout(100);
  }
  assert.deepEqual([...tips], ['lock held: a, partition 0\n30.0 s so far']);
  await close();
});

test('new events come, an outage is said and ends, a restart begins anew, lost events are counted', async () => {
  const events = recording('interlock.log');
  daemon.set({status: statusOf(1, 'F'), events: events.slice(0, 30), nowMs: 6000});
  const {page, close} = await open(browser, url, {}, ['503']);
  await until(() => rows(page, 'efficiency'), (r) => r[0]?.length === 5, 'efficiency');
  daemon.set({status: statusOf(1, 'F'), events, nowMs: 65000});
  await until(() => daemon.requests.slice(-2), (r) => r.includes(`/events?since=${events.length}`), 'cursor at the end');

  daemon.down = true;
  await until(() => page.locator('#connection').textContent(), (t) => /no answer for .*503.*what you see is old/.test(t), 'outage');
  assert.equal((await rows(page, 'queues')).length, 4, 'the last state stays');
  daemon.set({status: {...statusOf(1, 'G'), state: 'draining'}, events: events.slice(100), lost: 100, nowMs: 65000});
  daemon.down = false;
  await until(() => page.locator('#connection').isHidden(), (hidden) => hidden, 'end of the outage');
  await until(() => page.locator('#state').textContent(), (t) => t === 'draining', 'state');
  await until(() => page.locator('#lost').textContent(), (t) => t.startsWith('100 older events are not shown'), 'lost');
  await close();
});

test('an idle daemon without parameters and devices says so', async () => {
  const status = statusOf(0, 'H');
  Object.assign(status, {pipelines: [], pipelines_omitted: 0, history: [], gpu_workers: []});
  status.allocations.srs = [];
  status.memory = {total_bytes: 0, used_bytes: 0, available_bytes: 0, reservations: []};
  daemon.set({status, events: [], nowMs: 5});
  const {page, close} = await open(browser, url);
  await until(() => rows(page, 'jobs'), (r) => r[0]?.[0] === 'nothing is waiting and nothing runs', 'jobs');
  assert.deepEqual(await rows(page, 'history'), [['no proof is done yet']]);
  assert.deepEqual(await rows(page, 'srs'), [['no parameter files are known']]);
  assert.deepEqual(await rows(page, 'efficiency'), [['no device work in view']]);
  await close();
});
