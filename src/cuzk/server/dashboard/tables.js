// The status snapshot as tables. Text from the daemon only ever becomes text nodes.

import {bytes, duration, percent, seconds} from './format.js';

/// A cell is a text, or {text, title, css} or {css, build(td), key}: `build` fills the cell when `key` changed.
function setCell(td, cell) {
  const {text = null, title = '', css = '', build = null, key = ''} = typeof cell === 'object' ? cell : {text: cell};
  if (td.className !== css) td.className = css;
  if (td.title !== title) td.title = title;
  if (build !== null) {
    if (td.dataset.key === key) return;
    td.dataset.key = key;
    td.replaceChildren();
    build(td);
  } else if (td.textContent !== String(text)) {
    td.textContent = text;
  }
}

/// Rows of cells. Cells whose content is the same are left alone, so that a selection survives the update.
export function fillTable(table, rows, empty) {
  const body = table.tBodies[0];
  const columns = table.tHead.rows[0].cells.length;
  const wanted = rows.length > 0 ? rows : [null];
  while (body.rows.length > wanted.length) body.deleteRow(-1);
  wanted.forEach((cells, i) => {
    const row = body.rows[i] ?? body.insertRow();
    if (cells === null) {
      if (row.cells.length !== 1) row.replaceChildren();
      const td = row.cells[0] ?? row.insertCell();
      td.colSpan = columns;
      setCell(td, {text: empty, css: 'empty'});
      return;
    }
    if (row.cells.length !== cells.length) row.replaceChildren();
    cells.forEach((cell, k) => setCell(row.cells[k] ?? row.insertCell(), cell));
  });
}

const n = (text, title = '') => ({text, title, css: 'n'});
const id = (text) => ({text, title: text, css: 'id'});

export function queues(table, status) {
  const {completed_by_kind: done = {}, failed_by_kind: failed = {}} = status.counters;
  fillTable(table, status.queues.map((q) => [
    q.proof_kind, n(q.pending), n(q.in_progress), n(seconds(q.oldest_secs)), n(done[q.proof_kind] ?? 0), n(failed[q.proof_kind] ?? 0),
  ]), 'no kinds of proof');
}

/// `figures`: Map(ordinal -> deviceFigures).
export function efficiency(table, figures) {
  const cell = (f, name) => n(f === null ? '–' : percent(f.efficiency_percent / 100),
      f === null ? 'not in view' : `${name} busy ${duration(f.busy_ms)} of ${duration(f.span_ms)}`);
  fillTable(table, [...figures].sort(([a], [b]) => a - b).map(([ordinal, f]) => [
    `device ${ordinal}`, cell(f.lock, 'lock'), cell(f.job, 'job'), cell(f.kernel, 'kernels'),
    f.lock === null ? n('–') : n(`${f.lock.gaps_below_50_ms} / ${f.lock.gaps_50_to_500_ms} / ${f.lock.gaps_above_500_ms}`,
        `${duration(f.lock.gap_total_ms)} in ${f.lock.gaps} gaps, largest ${duration(f.lock.largest_gap_ms)}`),
  ]), 'no device work in view');
}

export function memory(parts, status) {
  const {total_bytes: total, used_bytes: used, reservations = []} = status.memory;
  parts.text.textContent = `${bytes(used)} of ${bytes(total)}`;
  const shares = reservations.filter((r) => r.bytes > 0);
  const key = JSON.stringify([total, shares]);
  if (parts.bar.dataset.key === key) return;
  parts.bar.dataset.key = key;
  parts.bar.setAttribute('aria-label', `Memory budget: ${parts.text.textContent}`);
  parts.bar.replaceChildren(...shares.map((r, i) => {
    const span = document.createElement('span');
    span.className = `job-${i % 8}`;
    span.style.width = `${total > 0 ? (100 * r.bytes) / total : 0}%`;
    span.title = `${r.tag}: ${bytes(r.bytes)}`;
    return span;
  }));
  parts.legend.replaceChildren(...shares.map((r, i) => {
    const li = document.createElement('li');
    li.className = `job-${i % 8}`;
    li.textContent = `${r.tag} ${bytes(r.bytes)}`;
    return li;
  }));
}

const kTier = {hot: 'good', warm: 'warn', cold: 'faint'};

export function srs(table, status) {
  fillTable(table, status.allocations.srs.map((s) => [
    s.circuit_id,
    {text: s.state === 'ready' ? s.tier : `${s.tier}, ${s.state}`, css: s.state === 'failed' ? 'bad' : kTier[s.tier] ?? ''},
    n(bytes(s.bytes)), n(s.ref_count),
  ]), 'no parameter files are known');
}

function workersOf(status, ordinal) {
  return status.gpu_workers.filter((w) => w.gpu_ordinal === ordinal).map((w) =>
    w.state === 'idle' ? `${w.worker_id}: idle` :
      `${w.worker_id}: ${w.current_job ?? ''}${w.current_partition === null ? '' : ` #${w.current_partition}`} ${seconds(w.busy_secs)}`).join(' · ');
}

export function devices(table, status) {
  fillTable(table, status.devices.map((d) => [
    String(d.ordinal), {text: d.name, title: d.uuid ?? ''},
    {text: d.state, title: d.error ?? '', css: d.state === 'ok' ? 'good' : 'bad'},
    n(d.vram_total_bytes > 0 ? `${bytes(d.vram_total_bytes - d.vram_free_bytes)} of ${bytes(d.vram_total_bytes)}` : ''),
    d.lock_held ? `held, ${d.lock_waiting} waiting` : 'free', n(d.queued), workersOf(status, d.ordinal),
  ]), 'no devices');
}

function squares(job) {
  const key = job.partitions.map((p) => `${p.state}${p.attempt ?? 1}`).join();
  return {
    key,
    build: (td) => {
      const box = document.createElement('span');
      box.className = 'partitions';
      for (const p of job.partitions) {
        const square = document.createElement('span');
        square.className = p.state;
        square.title = `partition ${p.index}: ${p.state}${(p.attempt ?? 1) > 1 ? `, attempt ${p.attempt}` : ''}`;
        box.append(square);
      }
      td.append(box, ` ${job.partitions_done}/${job.total_partitions}`);
    },
  };
}

export function jobs(table, note, status) {
  const omitted = status.pipelines_omitted ?? 0;
  note.textContent = omitted > 0 ? `${omitted} more are waiting` : '';
  fillTable(table, status.pipelines.map((j) => [
    id(j.job_id), id(j.request_id), j.proof_kind, j.circuit_id, j.priority, j.state, n(seconds(j.started_secs_ago)),
    j.partitions.length > 0 ? squares(j) : `${j.partitions_done}/${j.total_partitions}`,
  ]), 'nothing is waiting and nothing runs');
}

const kState = {completed: 'good', failed: 'bad', cancelled: 'warn'};

export function history(table, note, status) {
  const {total_completed: done, total_failed: failed, total_cancelled: cancelled = 0} = status.counters;
  note.textContent = `${done} completed, ${failed} failed, ${cancelled} cancelled since the start`;
  fillTable(table, status.history.map((h) => [
    id(h.job_id), id(h.request_id), h.proof_kind, h.circuit_id,
    {text: h.state === 'failed' ? `failed: ${h.error}` : h.state, title: h.error, css: kState[h.state] ?? ''},
    n(duration(h.queue_wait_ms)), n(duration(h.srs_load_ms)), n(duration(h.synthesis_ms)), n(duration(h.gpu_compute_ms)),
    n(duration(h.total_ms)), n(`${seconds(h.finished_secs_ago)} ago`),
  ]), 'no proof is done yet');
}
