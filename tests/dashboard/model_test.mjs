// The page's figures are those of `cuzk timeline`: on the recordings with known results, and on a log with
// everything in it.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import test from 'node:test';

import {Feed} from '../../src/cuzk/server/dashboard/feed.js';
import * as format from '../../src/cuzk/server/dashboard/format.js';
import {rowsOf} from '../../src/cuzk/server/dashboard/gantt.js';
import {assignRows, clip, collectTasks, deviceFigures, lanesOf, merge} from '../../src/cuzk/server/dashboard/model.js';
import {eventsOf, manyDevices} from './playback.mjs';

const data = new URL('../data/timeline/', import.meta.url);
const read = (name) => readFileSync(new URL(name, data), 'utf8');

const expected = JSON.parse(read('expected.json'));
for (const file of ['ancestor.log', 'interlock.log']) {
  test(`${file} gives the figures of expected.json`, () => {
    const lanes = lanesOf(collectTasks(eventsOf(read(file))));
    const figures = deviceFigures(lanes.devices.get(0));
    for (const lane of Object.keys(expected[file])) assert.deepEqual(figures[lane], expected[file][lane]);
  });
}

test('eight devices, retries and kernels: as cuzk timeline has them', () => {
  const lines = manyDevices(8, 40);
  const answer = JSON.parse(execFileSync(process.env.CUZK, ['timeline', '-', '--json'], {input: lines.join('\n')}));
  assert.equal(answer.devices.length, 8);
  assert.ok(answer.retries > 0);
  const lanes = lanesOf(collectTasks(eventsOf(lines.join('\n'))));
  let compared = 0;
  for (const device of answer.devices) {
    const figures = deviceFigures(lanes.devices.get(device.device));
    for (const lane of ['lock', 'job', 'kernel']) {
      for (const [name, value] of Object.entries(figures[lane])) {
        assert.ok(Math.abs(device[lane][name] - value) < 1e-3, `device ${device.device} ${lane} ${name}: ${value}, not ${device[lane][name]}`);
        ++compared;
      }
    }
  }
  assert.equal(compared, 8 * 3 * 11);
});

test('what goes on is drawn until now, and not once its job is done', () => {
  const events = eventsOf('TIMELINE,10,SYNTH_START,a,partition=0\nTIMELINE,20,LOCK_ACQUIRED,b,partition=0,device=1\n');
  let lanes = lanesOf(collectTasks(events), 50);
  assert.deepEqual([lanes.synthesis[0].begin, lanes.synthesis[0].end, lanes.synthesis[0].open], [10, 50, true]);
  assert.equal(lanes.devices.get(1).lock[0].open, true);
  lanes = lanesOf(collectTasks([...events, [30, 'JOB_DONE', 'b', null, null, null, 'state=failed']]), 50);
  assert.equal(lanes.devices.has(1), false);
  // A try that failed has no end; the next one ends it.
  lanes = lanesOf(collectTasks(eventsOf('TIMELINE,10,GPU_START,a,partition=0\nTIMELINE,20,GPU_START,a,partition=0\n')), 50);
  assert.deepEqual(lanes.devices.get(0).job.map(({begin, end}) => [begin, end]), [[20, 50]]);
});

test('a key has the lock without being work: a bar of its own kind, and no idle time behind it', () => {
  const held = (begin, end) => `TIMELINE,${begin},LOCK_ACQUIRED,a,partition=${begin}\nTIMELINE,${end},LOCK_RELEASED,a,partition=${begin}\n`;
  const key = (ms, event, what) => `TIMELINE,${ms},KEY_${event},-,device=0,circuit=c,what=${what}\n`;
  const lanes = lanesOf(collectTasks(eventsOf(held(0, 10) + key(10, 'START', 'copy') + key(25, 'END', 'copy') + held(30, 40) + key(45, 'START', 'drop'))), 50);
  const row = rowsOf(lanes, {begin: 0, end: 100}, []).find(({name}) => name === 'device 0 lock');
  assert.deepEqual(row.bars.map(({kind, begin, end, open}) => [kind, begin, end, open]),
      [['lock held', 0, 10, false], ['lock held', 30, 40, false], ['key copy', 10, 25, false], ['key drop', 45, 50, true]]);
  assert.deepEqual(row.idle, [{begin: 25, end: 30}, {begin: 40, end: 45}]);
  const {lock} = deviceFigures(lanes.devices.get(0));
  assert.deepEqual([lock.busy_ms, lock.span_ms], [20, 40]);
});

test('intervals', () => {
  assert.deepEqual(merge([{begin: 5, end: 6}, {begin: 1, end: 2}, {begin: 2, end: 3}]), [{begin: 1, end: 3}, {begin: 5, end: 6}]);
  assert.deepEqual(clip([{begin: 0, end: 10}, {begin: 20, end: 30}], {begin: 5, end: 20}), [{begin: 5, end: 10}]);
  assert.deepEqual(assignRows([{begin: 0, end: 10}, {begin: 0, end: 5}, {begin: 5, end: 8}, {begin: 7, end: 9}, {begin: 10, end: 12}]), [0, 1, 1, 2, 0]);
});

test('the feed follows its cursor, begins again after a restart, and keeps what it has when nothing answers', async () => {
  let daemon = {instance: 'A', events: ['e0', 'e1', 'e2'], down: false};
  const asked = [];
  const feed = new Feed(async (path) => {
    if (daemon.down) throw new Error('down');
    asked.push(path);
    if (path === 'status') return {instance: daemon.instance};
    const since = Number(path.split('=')[1]);
    const events = daemon.events.slice(since, since + 2);  // two at a time
    return {instance: daemon.instance, now_ms: 1, since, next: since + events.length, lost: 0, recorded: daemon.events.length, events};
  });
  await feed.poll();
  assert.deepEqual(asked, ['status', 'events?since=0', 'events?since=2']);
  assert.deepEqual(feed.events, ['e0', 'e1', 'e2']);
  daemon.down = true;
  await assert.rejects(feed.poll());
  assert.equal(feed.events.length, 3);
  daemon = {instance: 'B', events: ['f0'], down: false};
  await feed.poll();
  assert.deepEqual(feed.events, ['f0']);
  assert.equal(feed.instance, 'B');
});

test('numbers for people', () => {
  assert.equal(format.bytes(0), '0 B');
  assert.equal(format.bytes(1536), '1.50 KiB');
  assert.equal(format.bytes(47 * 2 ** 30), '47.0 GiB');
  assert.equal(format.duration(0.25), '0.250 ms');
  assert.equal(format.duration(2100), '2.10 s');
  assert.equal(format.duration(125976), '2 min 5 s');
  assert.equal(format.duration(null), '');
});
