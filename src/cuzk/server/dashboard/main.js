// Asks the daemon once a second and keeps the page true to what it says.

import {Feed} from './feed.js';
import {duration, seconds} from './format.js';
import {Gantt} from './gantt.js';
import {clip, collectTasks, deviceFigures, lanesOf} from './model.js';
import * as tables from './tables.js';

const kPollMs = 1000;
const kFrameMs = 200;
const kTimeoutMs = 10000;

const at = (id) => document.getElementById(id);

async function fetchJson(path) {
  const answer = await fetch(path, {cache: 'no-store', signal: AbortSignal.timeout(kTimeoutMs)});
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return answer.json();
}

const feed = new Feed(fetchJson);
const gantt = new Gantt(at('gantt'), at('tip'));
let tasks = collectTasks([]);
let collected = -1;  // the version of the feed that `tasks` is made of
let answeredAt = null;

/// The events' clock, as far as the page knows it.
function clock() {
  return answeredAt === null ? 0 : feed.nowMs + (performance.now() - answeredAt);
}

function figuresInView(lanes, window) {
  const figures = new Map();
  for (const [ordinal, device] of lanes.devices) {
    figures.set(ordinal, deviceFigures({
      lock: clip(device.lock, window),
      job: clip(device.job, window),
      kernel: clip(device.kernel, window),
    }));
  }
  return figures;
}

function showTimeline() {
  if (collected !== feed.version) {
    tasks = collectTasks(feed.events);
    collected = feed.version;
  }
  const now = clock();
  // What goes on is known to have gone on until the last answer, not since.
  const lanes = lanesOf(tasks, feed.nowMs);
  gantt.setData(lanes, (feed.status?.devices ?? []).map((d) => d.ordinal), now);
  tables.efficiency(at('efficiency'), figuresInView(lanes, gantt.window()));
  at('efficiency-span').textContent = `in view, ${duration(gantt.spanMs)}`;
  at('lost').hidden = feed.lost === 0;
  at('lost').textContent = `${feed.lost} older events are not shown: the daemon no longer has them`;
}

function showStatus() {
  const status = feed.status;
  at('state').textContent = status.state;
  at('state').className = `pill ${status.state === 'ready' ? 'good' : 'warn'}`;
  at('identity').textContent = [status.version, status.backend, status.mode, `up ${seconds(status.uptime_secs)}`].filter(Boolean).join(', ');
  at('synthesis').textContent = `${status.synthesis.active} of ${status.synthesis.max_concurrent} busy`;
  tables.queues(at('queues'), status);
  tables.memory({text: at('memory-text'), bar: at('memory-bar'), legend: at('memory-legend')}, status);
  tables.srs(at('srs'), status);
  tables.devices(at('devices'), status);
  tables.jobs(at('jobs'), at('jobs-note'), status);
  tables.history(at('history'), at('history-note'), status);
}

function complain(text) {
  at('connection').hidden = text === '';
  at('connection').textContent = text;
}

async function poll() {
  try {
    await feed.poll();
  } catch (error) {
    complain(answeredAt === null ? `no answer (${error.message})` :
        `no answer for ${duration(performance.now() - answeredAt)} (${error.message}); what you see is old`);
    return;
  }
  answeredAt = performance.now();
  complain('');
  try {
    showStatus();
    showTimeline();
  } catch (error) {
    // An answer that is not as docs/http.md says: the console has the place.
    console.error(error);
    complain(`this page cannot show the daemon's answer: ${error.message}`);
  }
}

async function run() {
  for (;;) {
    if (document.visibilityState === 'visible') await poll();
    await new Promise((resolve) => setTimeout(resolve, kPollMs));
  }
}

/// Between polls the chart goes on moving.
function animate() {
  setTimeout(() => requestAnimationFrame(() => {
    if (answeredAt !== null && at('connection').hidden && gantt.end === null) showTimeline();
    animate();
  }), kFrameMs);
}

const kThemes = ['auto', 'light', 'dark'];

function setTheme(name) {
  if (name === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  at('theme').textContent = name;
  gantt.readTheme();
  gantt.draw();
}

/// Storage may be forbidden; the choice then lasts as long as the page.
function remembered() {
  try {
    const name = localStorage.getItem('theme');
    return kThemes.includes(name) ? name : 'auto';
  } catch {
    return 'auto';
  }
}

function listen() {
  const spans = [...document.querySelectorAll('[data-span]')];
  for (const button of spans) button.addEventListener('click', () => gantt.setSpan(1000 * Number(button.dataset.span)));
  gantt.onMove = () => {
    at('live').setAttribute('aria-pressed', String(gantt.end === null));
    for (const button of spans)
      button.setAttribute('aria-pressed', String(gantt.spanMs === 1000 * Number(button.dataset.span)));
    if (answeredAt !== null) showTimeline();
  };
  at('live').addEventListener('click', () => gantt.follow());
  at('theme').addEventListener('click', () => {
    const name = kThemes[(kThemes.indexOf(at('theme').textContent) + 1) % kThemes.length];
    setTheme(name);
    try {
      localStorage.setItem('theme', name);
    } catch {
      // as above
    }
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(at('theme').textContent));
  globalThis.addEventListener('resize', () => gantt.draw());
}

listen();
setTheme(remembered());
animate();
run();
