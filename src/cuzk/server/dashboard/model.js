// From events to intervals, by the rules of cuzk/timeline/task.h and analysis.h: `cuzk timeline` and this page
// give the same figures for the same events (tests/dashboard holds them together). Times are milliseconds.

const kSlots = {
  SYNTH_START: 'synthStart',
  SYNTH_END: 'synthEnd',
  GPU_QUEUE: 'queue',
  GPU_PICKUP: 'pickup',
  GPU_START: 'gpuStart',
  GPU_END: 'gpuEnd',
  LOCK_WAIT: 'lockWait',
  LOCK_ACQUIRED: 'lockAcquired',
  LOCK_RELEASED: 'lockReleased',
  EPILOGUE_END: 'epilogueEnd',
  VERIFY_END: 'verifyEnd',
};
const kOfSynthesis = new Set(['SYNTH_START', 'SYNTH_END']);
const kWorkerElsewhere = new Set(['VERIFY_END', 'GPU_QUEUE']);

function detailOf(detail, name) {
  for (const pair of detail.split(',')) if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  return '';
}

/// Events as `/events` has them: [ms, name, job, partition, device, worker, detail]. Returns {tasks, done, keys}:
/// one task per try at a partition, the set of jobs that reached their final state, and when a device's lock
/// was held for a key: {device, circuit, what, begin, end}, without end while it is.
export function collectTasks(events) {
  const order = events.map((_, i) => i);
  order.sort((a, b) => events[a][0] - events[b][0] || a - b);
  const tasks = [];
  const latest = new Map();
  const done = new Map();
  const keys = [];
  const openKeys = new Map();  // by device, whose lock lets in one at a time

  const taskOf = (event, slot) => {
    const [, name, job, partition, device, worker] = event;
    const key = partition === null ? `${job}\n\n${device}\n${worker}` : `${job}\n${partition}`;
    let task = latest.get(key);
    if (task === undefined || (slot !== null && task[slot] !== undefined)) {
      if (task !== undefined) task.superseded = true;
      task = {job, partition, device: 0, worker: null, kernels: [], open: new Map(), superseded: false};
      latest.set(key, task);
      tasks.push(task);
    }
    if (!kOfSynthesis.has(name)) {
      if (device !== null) task.device = device;
      if (worker !== null && task.worker === null && !kWorkerElsewhere.has(name)) task.worker = worker;
    }
    return task;
  };

  for (const i of order) {
    const event = events[i];
    const [ms, name, job, , device, , detail] = event;
    if (name === 'JOB_DONE') {
      done.set(job, ms);
    } else if (name === 'KERNEL_START') {
      const {open} = taskOf(event, null);
      const stage = detailOf(detail, 'stage');
      if (!open.has(stage)) open.set(stage, []);
      open.get(stage).push(ms);
    } else if (name === 'KERNEL_END') {
      const task = taskOf(event, null);
      const stage = detailOf(detail, 'stage');
      const begins = task.open.get(stage);
      if (begins !== undefined && begins.length > 0) task.kernels.push({stage, begin: begins.pop(), end: ms});
    } else if (name === 'KEY_START') {
      openKeys.set(device ?? 0, {device: device ?? 0, circuit: detailOf(detail, 'circuit'), what: detailOf(detail, 'what'), begin: ms});
    } else if (name === 'KEY_END') {
      const key = openKeys.get(device ?? 0);
      if (key !== undefined) keys.push({...key, end: ms});
      openKeys.delete(device ?? 0);
    } else if (name in kSlots) {
      taskOf(event, kSlots[name])[kSlots[name]] = ms;
    }
  }
  return {tasks, done, keys: [...keys, ...openKeys.values()]};
}

function between(begin, end) {
  return begin === undefined || end === undefined || begin > end ? null : {begin, end};
}

/// The intervals of every lane. What has begun and not ended goes on until `now`, up to which all events are here,
/// while its job does and no other try at the partition has begun (`open`).
/// Returns {synthesis: [...], devices: Map(ordinal -> {job, lock, kernel, wait, key})}, each entry
/// {begin, end, open, task, stage}; those of `key`, for which the lock is held and which are in no other lane,
/// {begin, end, open, circuit, what}.
export function lanesOf({tasks, done, keys}, now = null) {
  const lanes = {synthesis: [], devices: new Map()};
  const device = (ordinal) => {
    if (!lanes.devices.has(ordinal)) lanes.devices.set(ordinal, {job: [], lock: [], kernel: [], wait: [], key: []});
    return lanes.devices.get(ordinal);
  };
  for (const key of keys) {
    const open = key.end === undefined;
    const time = between(key.begin, open ? now ?? undefined : key.end);
    if (time !== null) device(key.device).key.push({...key, ...time, open});
  }
  for (const task of tasks) {
    const running = now !== null && !task.superseded && !done.has(task.job);
    const span = (begin, end) => {
      const time = between(begin, end);
      if (time !== null) return {...time, open: false, task, stage: ''};
      if (running && begin !== undefined && end === undefined && begin <= now)
        return {begin, end: now, open: true, task, stage: ''};
      return null;
    };
    const put = (list, item) => {
      if (item !== null) list().push(item);
    };
    put(() => lanes.synthesis, span(task.synthStart, task.synthEnd));
    put(() => device(task.device).job, span(task.gpuStart, task.gpuEnd));
    put(() => device(task.device).wait, span(task.lockWait, task.lockAcquired));
    put(() => device(task.device).lock, span(task.lockAcquired, task.lockReleased));
    for (const kernel of task.kernels) device(task.device).kernel.push({...kernel, open: false, task});
  }
  return lanes;
}

/// The union of intervals, in order, none touching the next.
export function merge(intervals) {
  const sorted = intervals.map(({begin, end}) => ({begin, end})).sort((a, b) => a.begin - b.begin || a.end - b.end);
  const out = [];
  for (const next of sorted) {
    const last = out[out.length - 1];
    if (last !== undefined && next.begin <= last.end) last.end = Math.max(last.end, next.end);
    else out.push(next);
  }
  return out;
}

/// What of the intervals lies within the window.
export function clip(intervals, window) {
  const out = [];
  for (const i of intervals) {
    if (i.end <= window.begin || i.begin >= window.end) continue;
    out.push({...i, begin: Math.max(i.begin, window.begin), end: Math.min(i.end, window.end)});
  }
  return out;
}

function round6(ms) {
  return Math.round(ms * 1e6) / 1e6;
}

/// The figures of one lane under the names of `cuzk timeline --json`, or null for no interval. `span` {begin,
/// end}: compared with that instead of the lane's own extent.
export function figuresOf(intervals, span = null) {
  if (intervals.length === 0) return null;
  const merged = merge(intervals);
  const window = span ?? {begin: merged[0].begin, end: merged[merged.length - 1].end};
  const out = {
    intervals: intervals.length,
    merged: merged.length,
    busy_ms: 0,
    span_ms: round6(window.end - window.begin),
    efficiency_percent: 100,
    gaps: 0,
    gap_total_ms: 0,
    gaps_below_50_ms: 0,
    gaps_50_to_500_ms: 0,
    gaps_above_500_ms: 0,
    largest_gap_ms: 0,
  };
  let busy = 0;
  for (let i = 0; i < merged.length; ++i) {
    busy += Math.max(0, Math.min(merged[i].end, window.end) - Math.max(merged[i].begin, window.begin));
    if (i === 0) continue;
    const gap = round6(merged[i].begin - merged[i - 1].end);
    ++out.gaps;
    out.gap_total_ms += gap;
    out.largest_gap_ms = Math.max(out.largest_gap_ms, gap);
    if (gap < 50) ++out.gaps_below_50_ms;
    else if (gap <= 500) ++out.gaps_50_to_500_ms;
    else ++out.gaps_above_500_ms;
  }
  out.busy_ms = round6(busy);
  out.gap_total_ms = round6(out.gap_total_ms);
  if (out.span_ms > 0) out.efficiency_percent = Math.round((10000 * busy) / out.span_ms) / 100;
  return out;
}

/// {lock, job, kernel} of one device's lanes; kernel time is compared with the span of the lock.
export function deviceFigures(lanes) {
  const extent = (list) => {
    if (list.length === 0) return null;
    const merged = merge(list);
    return {begin: merged[0].begin, end: merged[merged.length - 1].end};
  };
  return {
    lock: figuresOf(lanes.lock),
    job: figuresOf(lanes.job),
    kernel: figuresOf(lanes.kernel, extent(lanes.lock) ?? extent(lanes.job)),
  };
}

/// The lowest row that is free when each interval begins; `intervals` in order of their begins.
export function assignRows(intervals) {
  const ends = [];
  return intervals.map((interval) => {
    let row = ends.findIndex((end) => end <= interval.begin);
    if (row < 0) row = ends.length;
    ends[row] = interval.end;
    return row;
  });
}
