// The page against a real `cuzk serve` that proves real 2 KiB sectors.
import assert from 'node:assert/strict';
import {execFile, execFileSync, spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {after, before} from 'node:test';
import {promisify} from 'node:util';

import {eventsOf} from './playback.mjs';
import {colours, launch, open, rows, until} from './browser.mjs';
import {collectTasks, deviceFigures, lanesOf} from '../../src/cuzk/server/dashboard/model.js';

const cuzk = process.env.CUZK;
const run = promisify(execFile);
const kJobs = 2;
const kPatience = 180;  // seconds; proofs on a busy machine

let folder, daemon, browser, url, log = '';

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const {port} = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cuzk-dashboard-'));
  const at = (name) => join(folder, name);
  // A folder of its own, to spoil a file in; the parameters are those of tests/interop.
  mkdirSync(at('params'));
  for (const file of readdirSync(process.env.CUZK_PARAMS)) symlinkSync(join(process.env.CUZK_PARAMS, file), at(`params/${file}`));
  execFileSync(cuzk, ['synth-sector', '--registered-proof', '5', '--wrapper', '--out', at('c1.json')], {stdio: 'pipe'});
  const port = await freePort();
  url = `http://127.0.0.1:${port}/`;
  writeFileSync(at('cuzk.toml'), `
[daemon]
listen = "unix://${at('cuzk.sock')}"
status_listen = "127.0.0.1:${port}"
journal = ""
[srs]
param_cache = "${at('params')}"
`);
  daemon = spawn(cuzk, ['serve', '--config', at('cuzk.toml')], {stdio: ['ignore', 'pipe', 'pipe']});
  daemon.stdout.on('data', (text) => log += text);
  daemon.stderr.on('data', (text) => log += text);
  await until(async () => {
    if (daemon.exitCode !== null) return `ended with ${daemon.exitCode}: ${log}`;
    return (await fetch(`${url}readyz`).catch(() => null))?.status;
  }, (answer) => answer === 200, 'the daemon', kPatience);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (daemon && daemon.exitCode === null) {
    daemon.kill('SIGTERM');
    await new Promise((resolve) => daemon.on('exit', resolve));
  }
  if (folder) rmSync(folder, {recursive: true, force: true});
});

function submit(id) {
  return run(cuzk, ['submit', '-a', `unix://${join(folder, 'cuzk.sock')}`, '-t', 'porep', '--c1', join(folder, 'c1.json'), '--registered-proof', '5',
    '--sector-num', '7', '--miner-id', '1000', '--request-id', id, '--wait', '--out', join(folder, `${id}.proof`)]);
}

test('proofs are seen waiting, running and done, and the figures are those of cuzk timeline', async () => {
  const {page, close} = await open(browser, url);
  await until(() => page.locator('#state').textContent(), (t) => t === 'ready', 'state');
  await until(() => rows(page, 'jobs'), (r) => r[0][0] === 'nothing is waiting and nothing runs', 'jobs before');
  await page.locator('[data-span="3600"]').click();

  const ids = Array.from({length: kJobs}, (_, k) => `porep-1000-${k}`);
  const proofs = Promise.all(ids.map(submit));
  // A proof that fails ends the wait at once, with its reason; one that is done does not.
  const failure = proofs.then(() => new Promise(() => {}));
  await Promise.race([failure,
    until(() => rows(page, 'jobs'), (r) => r.some((row) => row[1]?.startsWith('porep-1000-')), 'jobs while proving', kPatience)]);
  await proofs;
  for (const id of ids) assert.equal(readFileSync(join(folder, `${id}.proof`)).length, 192);

  const history = await until(() => rows(page, 'history'), (r) => r.length === kJobs && r[0].length === 11, 'history');
  assert.deepEqual(history.map((r) => r[1]).sort(), ids);
  for (const row of history) assert.deepEqual(row.slice(2, 5), ['porep-c2', 'porep-2k', 'completed']);
  assert.match(await page.locator('#history-note').textContent(), new RegExp(`^${kJobs} completed, 0 failed`));
  const queues = await rows(page, 'queues');
  assert.deepEqual(queues.map((r) => r[0]), ['porep-c2', 'snap-update', 'window-post', 'winning-post']);
  assert.equal(queues[0][4], String(kJobs));
  const srs = await rows(page, 'srs');
  assert.ok(srs.some((r) => r[0] === 'porep-2k' && ['hot', 'warm'].includes(r[1])), JSON.stringify(srs));
  assert.ok(await colours(page) > 10, 'the chart shows the work');

  // Every event of the daemon, as lines and through the feed.
  const lines = await (await fetch(`${url}timeline`)).text();
  const told = JSON.parse(execFileSync(cuzk, ['timeline', '-', '--json'], {input: lines}));
  assert.equal(told.jobs, kJobs);
  assert.equal(told.unpaired, 0);
  const fed = await (await fetch(`${url}events`)).json();
  assert.equal(fed.lost, 0);
  const sorted = (events) => events.map((e) => JSON.stringify(e)).sort();
  assert.deepEqual(sorted(fed.events), sorted(eventsOf(lines)));
  const figures = deviceFigures(lanesOf(collectTasks(fed.events)).devices.get(0));
  for (const lane of ['lock', 'job', 'kernel'])
    for (const name of ['intervals', 'merged', 'gaps', 'efficiency_percent'])
      assert.ok(Math.abs(figures[lane][name] - told.devices[0][lane][name]) < 0.02, `${lane} ${name}`);
  const closeTo = (text, lane) => Math.abs(parseFloat(text) - told[lane].efficiency_percent) < 0.02;
  await until(() => rows(page, 'efficiency'),
      ([r]) => r.length === 5 && closeTo(r[1], 'lock') && closeTo(r[2], 'job') && closeTo(r[3], 'kernel'),
      `the page's efficiency, to be ${['lock', 'job', 'kernel'].map((lane) => told[lane].efficiency_percent)}`);
  const trace = await (await fetch(`${url}trace`)).json();
  assert.ok(trace.traceEvents.length > 0);
  await close();
});

test('a proof that fails is in the history with its reason, what is refused is not', async () => {
  const {page, close} = await open(browser, url);
  // Accepted, as a file of that name is there; the job finds out that it is none.
  const request = new URL('../data/post/window-2k-two.json', import.meta.url).pathname;
  const damaged = join(folder, 'params', JSON.parse(readFileSync(request, 'utf8')).params);
  rmSync(damaged, {force: true});  // what would be written through is somebody's parameters
  writeFileSync(damaged, 'damaged');
  const address = ['-a', `unix://${join(folder, 'cuzk.sock')}`];
  await assert.rejects(run(cuzk, ['submit', ...address, '-t', 'wpost', '--request', request, '--request-id', 'window-bad', '--wait']),
                       (error) => error.code === 1 || error.code === 3 || assert.fail(String(error)));
  const c1 = JSON.parse(readFileSync(join(folder, 'c1.json'), 'utf8'));
  const inner = JSON.parse(Buffer.from(c1.Phase1Out, 'base64'));
  inner.comm_r[0] ^= 1;
  writeFileSync(join(folder, 'c1.json'), JSON.stringify({...c1, Phase1Out: Buffer.from(JSON.stringify(inner)).toString('base64')}));
  await assert.rejects(submit('porep-bad'), (error) => /INVALID_INPUT/.test(error.stderr) || assert.fail(String(error)));
  const history = await until(() => rows(page, 'history'), (r) => r.some((row) => row[1] === 'window-bad'), 'history');
  const failed = history.find((row) => row[1] === 'window-bad');
  assert.deepEqual(failed.slice(2, 4), ['window-post', 'wpost-2k']);
  assert.match(failed[4], /^failed: PARAMS: /);
  assert.ok(!history.some((row) => row[1] === 'porep-bad'));
  assert.match(await page.locator('#history-note').textContent(), new RegExp(`^${kJobs} completed, 1 failed`));
  await close();
});

test('the end of the daemon is said', async () => {
  const {page, close} = await open(browser, url, {}, ['Failed to load resource']);
  await until(() => page.locator('#state').textContent(), (t) => t === 'ready', 'state');
  const ended = new Promise((resolve) => daemon.on('exit', resolve));
  daemon.kill('SIGTERM');
  assert.equal(await ended, 0, log);
  await until(() => page.locator('#connection').textContent(), (t) => t.startsWith('no answer for'), 'outage');
  await close();
});
