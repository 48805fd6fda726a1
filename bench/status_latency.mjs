// How long GetStatus takes while 20 real 2 KiB jobs are in the daemon: by hand, as docs/performance.md says; prints one line of
// JSON.
// A request goes out every INTERVAL ms whatever became of the one before, as a slow answer must not hide the next ones.
import os from 'node:os';
import {performance} from 'node:perf_hooks';
import test from 'node:test';
import {Daemon, porep, temporaryFolder, wait} from './daemon.mjs';

const INTERVAL = 25;

test('GetStatus while 20 jobs run', async (t) => {
  const daemon = await Daemon.start(temporaryFolder(t));
  t.after(() => daemon.end());
  const work = daemon.client();
  const asking = daemon.client();
  const jobs = [];
  for (let i = 0; i < 20; ++i) jobs.push((await work.SubmitProof(porep(`porep-1234-${i}`))).job_id);
  const times = [];
  let running = true;
  const all = Promise.all(jobs.map((job_id) => work.AwaitProof({job_id}))).finally(() => (running = false));
  const asked = [];
  const begin = performance.now();
  for (let i = 0; running; ++i) {
    await wait(Math.max(0, begin + i * INTERVAL - performance.now()));
    const from = performance.now();
    asked.push(asking.GetStatus({}, {timeoutMs: 5000}).then(() => times.push(performance.now() - from)));
  }
  await Promise.all(asked);
  for (const {status, error_message} of await all) if (status !== 'COMPLETED') throw new Error(error_message);
  times.sort((a, b) => a - b);
  const quantile = (q) => Number(times[Math.min(times.length - 1, Math.floor(q * times.length))].toFixed(2));
  console.log(JSON.stringify({jobs: jobs.length, seconds: Math.round((performance.now() - begin) / 1000), calls: times.length, p50_ms: quantile(0.5),
                              p90_ms: quantile(0.9), p99_ms: quantile(0.99), max_ms: quantile(1), load: os.loadavg()[0]}));
  work.close();
  asking.close();
});
