// A daemon made of a recording: it serves the dashboard's files, /status and /events as docs/http.md says, with
// the headers of the real one.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';

const files = new URL('../../src/cuzk/server/dashboard/', import.meta.url);
const types = {html: 'text/html', css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml'};

/// TIMELINE lines as events of /events.
export function eventsOf(text) {
  return text.split('\n').filter((line) => line !== '').map((line) => {
    const [, ms, name, job, ...pairs] = line.split(',');
    const known = {partition: null, device: null, worker: null};
    const rest = [];
    for (const pair of pairs) {
      const [key, value] = pair.split('=');
      if (key in known) known[key] = Number(value);
      else if (pair !== '') rest.push(pair);
    }
    return [Number(ms), name, job, known.partition, known.device, known.worker, rest.join(',')];
  });
}

/// A recording of `devices` devices with two workers each that take `partitions` partitions in turn; every
/// seventh is tried twice. Pseudo-random and always the same.
export function manyDevices(devices, partitions) {
  let state = 12345;
  const random = (n) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % n;
  };
  const lines = [];
  const put = (ms, name, job, rest) => lines.push(`TIMELINE,${ms / 1000},${name},${job},${rest}`);  // ms: microseconds
  for (let device = 0; device < devices; ++device) {
    const free = [0, 0];
    let lockFree = 0;
    for (let k = 0; k < partitions; ++k) {
      const job = `porep-${device}-${Math.floor(k / 10)}`;
      const p = `partition=${k % 10}`;
      const tries = k % 7 === 6 ? 2 : 1;
      for (let t = 0; t < tries; ++t) {
        const worker = free[0] <= free[1] ? 0 : 1;
        const where = `${p},worker=${worker},device=${device}`;
        const start = free[worker] + 1000 * random(40);
        const wait = start + 1000 * (20 + random(60)) + random(1000);
        const acquired = Math.max(wait, lockFree);
        const released = acquired + 1000 * (30 + random(50));
        const end = released + 1000 * (10 + random(10));
        if (t === 0) {
          put(Math.max(0, start - 90000), 'SYNTH_START', job, `${p},worker=${k % 4}`);
          put(start, 'SYNTH_END', job, `${p},worker=${k % 4}`);
        }
        put(start, 'GPU_QUEUE', job, p);
        put(start, 'GPU_PICKUP', job, where);
        put(start, 'GPU_START', job, where);
        put(wait, 'LOCK_WAIT', job, where);
        put(acquired, 'LOCK_ACQUIRED', job, where);
        put(released, 'LOCK_RELEASED', job, where);
        put(acquired + 2000, 'KERNEL_START', job, `${where},stage=ntt`);
        put(acquired + 12000, 'KERNEL_END', job, `${where},stage=ntt`);
        put(acquired + 10000, 'KERNEL_START', job, `${where},stage=msm`);
        put(released - 1000, 'KERNEL_END', job, `${where},stage=msm`);
        put(end, 'EPILOGUE_END', job, where);
        put(end, 'GPU_END', job, where);
        put(end + 5000, 'VERIFY_END', job, p);
        lockFree = released;
        free[worker] = end;
      }
      if (k % 10 === 9) put(Math.max(...free) + 6000, 'JOB_DONE', job, 'state=completed');
    }
  }
  return lines;
}

/// A status with `devices` devices and something in every table.
export function statusOf(devices, instance) {
  const ordinals = Array.from({length: devices}, (_, i) => i);
  const partitions = ['done', 'gpu', 'synth_done', 'synthesizing', 'pending', 'failed'];
  return {
    instance, version: '0.1.0', backend: 'simulated', state: 'ready', mode: 'per-partition', uptime_secs: 12.5, now_ms: 0,
    memory: {total_bytes: 64 * 2 ** 30, used_bytes: 24 * 2 ** 30, available_bytes: 40 * 2 ** 30,
      reservations: [{tag: 'srs', bytes: 16 * 2 ** 30}, {tag: 'witness', bytes: 8 * 2 ** 30}]},
    synthesis: {max_concurrent: 4, active: 2},
    queues: [{proof_kind: 'porep-c2', pending: 3, in_progress: 1, oldest_secs: 61.5},
      {proof_kind: 'snap-update', pending: 0, in_progress: 0, oldest_secs: null},
      {proof_kind: 'window-post', pending: 0, in_progress: 0, oldest_secs: null},
      {proof_kind: 'winning-post', pending: 0, in_progress: 0, oldest_secs: null}],
    pipelines: [
      {job_id: 'JOB-RUNNING', request_id: 'porep-1000-7', proof_kind: 'porep-c2', circuit_id: 'porep-32g', priority: 'normal', state: 'running',
        started_secs_ago: 31.2, total_partitions: 6, partitions_done: 1,
        partitions: partitions.map((state, index) => ({index, state, synth_ms: 10, gpu_ms: 10, device: 0, worker: 0, attempt: 1}))},
      {job_id: 'JOB-WAITING', request_id: '<b>porep</b>', proof_kind: 'porep-c2', circuit_id: 'porep-32g', priority: 'low', state: 'queued',
        started_secs_ago: 3, total_partitions: 10, partitions_done: 0, partitions: []}],
    pipelines_omitted: 2,
    devices: ordinals.map((ordinal) => ({ordinal, name: `device ${ordinal} of the test`, uuid: null, state: ordinal === 1 ? 'quarantined' : 'ok',
      error: ordinal === 1 ? 'illegal address' : null, vram_total_bytes: 80 * 2 ** 30, vram_free_bytes: 60 * 2 ** 30, lock_held: true,
      lock_waiting: 1, queued: 3})),
    gpu_workers: ordinals.flatMap((gpu_ordinal) => [0, 1].map((worker_id) => ({worker_id, gpu_ordinal, state: worker_id === 0 ? 'proving' : 'idle',
      current_job: worker_id === 0 ? 'JOB-RUNNING' : null, current_partition: worker_id === 0 ? 1 : null, busy_secs: worker_id === 0 ? 1.5 : null}))),
    allocations: {
      srs: [{circuit_id: 'porep-32g', tier: 'hot', state: 'ready', bytes: 47 * 2 ** 30, ref_count: 1, evictable: false},
        {circuit_id: 'snap-32g', tier: 'cold', state: 'ready', bytes: 33 * 2 ** 30, ref_count: 0, evictable: false}],
      pce: []},
    counters: {total_completed: 5, total_failed: 1, total_cancelled: 2, completed_by_kind: {'porep-c2': 5}, failed_by_kind: {'porep-c2': 1}, queue_depth: 3},
    history: [
      {job_id: 'JOB-DONE', request_id: 'porep-1000-6', proof_kind: 'porep-c2', circuit_id: 'porep-32g', state: 'completed', error: '',
        finished_secs_ago: 9, partitions: 10, queue_wait_ms: 5, srs_load_ms: 0, synthesis_ms: 30000, gpu_compute_ms: 21000, total_ms: 60000},
      {job_id: 'JOB-FAILED', request_id: 'porep-1000-5', proof_kind: 'porep-c2', circuit_id: 'porep-32g', state: 'failed',
        error: 'SELF_CHECK: partition 3', finished_secs_ago: 99, partitions: 10, queue_wait_ms: 5, srs_load_ms: 0, synthesis_ms: 1, gpu_compute_ms: 1, total_ms: 2}],
    buffers: {synth_in_flight: 0, provers_in_flight: 0, aux_in_flight: 0, shells_in_flight: 0, pending_handles: 0},
    timeline: {recorded: 0, dropped: 0, capacity: 1000},
  };
}

/// A daemon that can be told what to say: `set({status, events, lost, nowMs})`, `down` makes it answer 503.
export class Playback {
  constructor() {
    this.down = false;
    this.requests = [];
    this.server = createServer((request, response) => this.answer(new URL(request.url, 'http://x'), response));
  }

  set(state) {
    Object.assign(this, {lost: 0}, state);
  }

  async start() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.server.address().port}/`;
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  answer(url, response) {
    this.requests.push(url.pathname + url.search);
    const send = (type, body, status = 200) => {
      response.writeHead(status, {'Content-Type': type, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff',
        'Content-Security-Policy': "default-src 'self'"});
      response.end(body);
    };
    if (this.down) return send('text/plain', 'down', 503);
    if (url.pathname === '/status') return send('application/json', JSON.stringify(this.status));
    if (url.pathname === '/events') {
      const since = Number(url.searchParams.get('since') ?? 0);
      const skipped = Math.max(0, this.lost - since);
      const events = this.events.slice(Math.max(0, since - this.lost), Math.max(0, since - this.lost) + 5000);
      return send('application/json', JSON.stringify({instance: this.status.instance, now_ms: this.nowMs, since,
        next: since + skipped + events.length, lost: skipped, recorded: this.lost + this.events.length, events}));
    }
    const name = url.pathname === '/' ? 'index.html' : url.pathname.replace('/dashboard/', '');
    try {
      return send(types[name.split('.').pop()], readFileSync(new URL(name, files)));
    } catch {
      return send('text/plain', 'not found', 404);
    }
  }
}
