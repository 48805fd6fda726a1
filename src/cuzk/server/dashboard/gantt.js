// The live Gantt chart: rows of synthesis and, per device, workers, lock and kernels.

import {duration} from './format.js';
import {assignRows, clip, merge} from './model.js';

const kRow = 18;
const kBar = 13;
const kLeft = 150;
const kAxis = 22;
const kColours = 7;  // not --job-7: it is the grey of keys

/// Jobs take the colours in the order in which they come.
export class Colours {
  constructor() {
    this.index = new Map();
  }
  of(job) {
    if (!this.index.has(job)) this.index.set(job, this.index.size);
    return this.index.get(job) % kColours;
  }
}

/// Rows {name, bars, idle} of what lies in the window. `wanted` are the ordinals that have rows even when
/// they did nothing.
export function rowsOf(lanes, window, wanted) {
  const rows = [];
  const synthesis = clip(lanes.synthesis, window).sort((a, b) => a.begin - b.begin);
  assignRows(synthesis).forEach((row, i) => {
    rows[row] ??= {name: `synthesis ${row}`, bars: [], idle: []};
    rows[row].bars.push({...synthesis[i], kind: 'synthesis'});
  });
  const ordinals = [...new Set([...wanted, ...lanes.devices.keys()])].sort((a, b) => a - b);
  for (const ordinal of ordinals) {
    const device = lanes.devices.get(ordinal) ?? {job: [], lock: [], kernel: [], wait: [], key: []};
    const workers = new Map();
    const put = (list, kind) => {
      for (const bar of clip(list, window)) {
        const worker = bar.task.worker ?? 0;
        if (!workers.has(worker)) workers.set(worker, []);
        workers.get(worker).push({...bar, kind});
      }
    };
    put(device.job, 'worker');
    put(device.wait, 'lock wait');
    put(device.lock, 'lock held');
    for (const worker of [...workers.keys()].sort((a, b) => a - b))
      rows.push({name: `device ${ordinal} worker ${worker}`, bars: workers.get(worker), idle: []});
    const lock = clip(device.lock, window).map((bar) => ({...bar, kind: 'lock held'}));
    // A key is nobody's partition: the bar has the circuit in the place of a job.
    for (const key of clip(device.key, window))
      lock.push({...key, kind: `key ${key.what}`, stage: '', task: {job: key.circuit, partition: null}});
    const merged = merge(lock);
    const idle = merged.slice(1).map((next, i) => ({begin: merged[i].end, end: next.begin}));
    rows.push({name: `device ${ordinal} lock`, bars: lock, idle});
    rows.push({name: `device ${ordinal} kernels`, bars: clip(device.kernel, window).map((bar) => ({...bar, kind: 'kernel'})), idle: []});
  }
  return rows;
}

const kAlpha = {worker: 0.45, 'lock wait': 0.25};

export class Gantt {
  constructor(canvas, tip) {
    this.canvas = canvas;
    this.tip = tip;
    this.colours = new Colours();
    this.lanes = {synthesis: [], devices: new Map()};
    this.ordinals = [];
    this.now = 0;
    this.spanMs = 600000;
    this.end = null;  // null: follow the clock
    this.rows = [];
    this.onMove = () => {};
    this.readTheme();
    this.listen();
  }

  /// The colours of the page as it is now.
  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.theme = {
      text: colour('--text'),
      faint: colour('--faint'),
      line: colour('--line'),
      idle: colour('--idle'),
      onJob: colour('--on-job'),
      jobs: Array.from({length: kColours}, (_, i) => colour(`--job-${i}`)),
    };
  }

  window() {
    const end = this.end ?? this.now;
    return {begin: end - this.spanMs, end};
  }

  setSpan(ms) {
    this.spanMs = Math.min(Math.max(ms, 10), 86400000);
    this.draw();
    this.onMove();
  }

  follow() {
    this.end = null;
    this.draw();
    this.onMove();
  }

  setData(lanes, ordinals, now) {
    this.lanes = lanes;
    this.ordinals = ordinals;
    this.now = now;
    this.draw();
  }

  x(ms) {
    const window = this.window();
    return kLeft + ((ms - window.begin) / this.spanMs) * (this.width - kLeft);
  }

  timeAt(x) {
    return this.window().begin + ((x - kLeft) / (this.width - kLeft)) * this.spanMs;
  }

  draw() {
    const window = this.window();
    this.rows = rowsOf(this.lanes, window, this.ordinals);
    const ratio = globalThis.devicePixelRatio || 1;
    this.width = Math.max(this.canvas.clientWidth, kLeft + 100);
    const height = kAxis + kRow * Math.max(this.rows.length, 1);
    if (this.canvas.width !== Math.round(this.width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(this.width * ratio);
      this.canvas.height = Math.round(height * ratio);
      this.canvas.style.height = `${height}px`;
    }
    const g = this.canvas.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, this.width, height);
    g.font = '11px system-ui, sans-serif';
    g.textBaseline = 'middle';
    this.drawAxis(g, height);
    this.rows.forEach((row, i) => this.drawRow(g, row, i * kRow));
  }

  drawAxis(g, height) {
    const wanted = this.spanMs / 8;
    let step = 10 ** Math.floor(Math.log10(wanted));
    step *= step * 5 <= wanted ? 5 : step * 2 <= wanted ? 2 : 1;
    const window = this.window();
    g.strokeStyle = this.theme.line;
    g.fillStyle = this.theme.faint;
    g.lineWidth = 1;
    for (let back = 0; back <= this.spanMs; back += step) {
      const x = Math.round(this.x(window.end - back)) - 0.5;
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, height - kAxis + 4);
      g.stroke();
      g.textAlign = back === 0 ? 'right' : 'center';
      const ago = this.now - (window.end - back);
      g.fillText(ago < step / 100 ? 'now' : `-${duration(ago)}`, x, height - kAxis / 2);
    }
  }

  drawRow(g, row, top) {
    g.textAlign = 'left';
    g.fillStyle = this.theme.text;
    g.fillText(row.name, 0, top + kRow / 2);
    g.fillStyle = this.theme.idle;
    for (const idle of row.idle) g.fillRect(this.x(idle.begin), top, this.x(idle.end) - this.x(idle.begin), kRow);
    for (const bar of row.bars) {
      const x = this.x(bar.begin);
      const width = Math.max(this.x(bar.end) - x, 0.5);
      g.globalAlpha = kAlpha[bar.kind] ?? 1;
      g.fillStyle = bar.kind.startsWith('key') ? this.theme.faint : this.theme.jobs[this.colours.of(bar.task.job)];
      g.fillRect(x, top + (kRow - kBar) / 2, width, kBar);
      g.globalAlpha = 1;
      if (width > 16 && bar.kind !== 'worker' && bar.kind !== 'lock wait' && bar.task.partition !== null) {
        g.fillStyle = this.theme.onJob;
        g.textAlign = 'center';
        g.fillText(bar.kind === 'kernel' && bar.stage && width > 80 ? `${bar.task.partition} ${bar.stage}` : String(bar.task.partition),
            x + width / 2, top + kRow / 2);
      }
    }
  }

  /// The topmost bar at a place of the canvas, or null.
  barAt(x, y) {
    const row = this.rows[Math.floor(y / kRow)];
    if (row === undefined || x < kLeft) return null;
    const slack = (2 * this.spanMs) / (this.width - kLeft);
    const at = this.timeAt(x);
    for (let i = row.bars.length - 1; i >= 0; --i)
      if (row.bars[i].begin - slack <= at && at <= row.bars[i].end + slack) return row.bars[i];
    return null;
  }

  showTip(x, y) {
    const bar = this.barAt(x, y);
    this.tip.hidden = bar === null;
    if (bar === null) return;
    const {job, partition} = bar.task;
    this.tip.textContent = `${bar.kind}${bar.stage ? ` ${bar.stage}` : ''}: ${job}` +
        `${partition === null ? '' : `, partition ${partition}`}\n${duration(bar.end - bar.begin)}` +
        `${bar.open ? ' so far' : ''}, began ${duration(this.now - bar.begin)} ago`;
    this.tip.style.left = `${Math.min(x + 12, this.width - 260)}px`;
    this.tip.style.top = `${y + 14}px`;
  }

  listen() {
    let drag = null;
    this.canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const at = this.timeAt(event.offsetX);
      const share = (this.window().end - at) / this.spanMs;
      const span = Math.min(Math.max(this.spanMs * (event.deltaY > 0 ? 1.25 : 0.8), 10), 86400000);
      if (this.end !== null) this.end = Math.min(at + share * span, this.now);
      this.setSpan(span);
    }, {passive: false});
    this.canvas.addEventListener('pointerdown', (event) => {
      drag = {x: event.offsetX, end: this.window().end};
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (drag === null) {
        this.showTip(event.offsetX, event.offsetY);
        return;
      }
      if (Math.abs(event.offsetX - drag.x) < 3 && this.end === null) return;
      const moved = ((event.offsetX - drag.x) / (this.width - kLeft)) * this.spanMs;
      this.end = Math.min(drag.end - moved, this.now);
      this.draw();
      this.onMove();
    });
    this.canvas.addEventListener('pointerup', () => {
      drag = null;
    });
    this.canvas.addEventListener('pointerleave', () => {
      this.tip.hidden = true;
    });
  }
}
