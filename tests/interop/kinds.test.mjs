// The other three kinds, with every field as operators' clients fill it: really sealed 2 KiB sectors, a real daemon.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import {gunzipSync} from 'node:zlib';
import grpc from '@grpc/grpc-js';
import {Daemon, defaultConfig, porep, post, run, source, temporaryFolder} from './daemon.mjs';

const data = path.join(source, 'tests/data');
const json = (name) => JSON.parse(fs.readFileSync(path.join(data, `${name}.json`)));
const vanilla = (folder, file) => gunzipSync(fs.readFileSync(path.join(data, folder, file)));
const hex = (text) => Buffer.from(text, 'hex');

function snap(name) {
  const known = json(`update/${name}`);
  return {request_id: 'snap-1234-100', proof_kind: 'SNAP_DEALS_UPDATE', sector_size: known.sector_size,
          registered_proof: known.registered_update_proof, priority: 'NORMAL',
          vanilla_proofs: known.partitions.map(({file}) => vanilla('update', file)), sector_number: 100, miner_id: 1234,
          comm_r_old: hex(known.comm_r_old), comm_r_new: hex(known.comm_r_new), comm_d_new: hex(known.comm_d_new)};
}

const kinds = {
  'winning-post': {circuit: 'winning-2k', toxic: 'winning-2k', file: 'post/winning-2k', priority: 'critical',
                   request: post('winning-2k', 'WINNING_POST', {})},
  'window-post': {circuit: 'wpost-2k', toxic: 'window-2k', file: 'post/window-2k-two', priority: 'high',
                  request: post('window-2k-two', 'WINDOW_POST_PARTITION', {partition_index: 3})},
  'snap-update': {circuit: 'snap-2k', toxic: 'update-2k', file: 'update/update-2k', priority: 'normal',
                  request: snap('update-2k')},
};

test('winning-post, window-post and snap-update', async (t) => {
  const folder = temporaryFolder(t);
  const params = path.join(folder, 'params');
  for (const {circuit, toxic} of Object.values(kinds)) {
    const made = run('setup', '--circuit', circuit, '--toxic', path.join(data, `groth16/params/${toxic}.json`), '--out', params, '--no-progress');
    assert.equal(made.code, 0, made.err);
  }
  const daemon = await Daemon.start(folder, {config: defaultConfig(folder).replace(/param_cache = ".*"/, `param_cache = "${params}"`)});
  t.after(() => daemon.end());
  const client = daemon.client();
  t.after(() => client.close());

  await t.test('all at once, one call each, and its repetition', async () => {
    const calls = Object.entries(kinds).map(([kind, {request}]) => [kind, client.Prove({submit: request}), client.Prove({submit: request})]);
    for (const [kind, first, second] of calls) {
      const [{result}, repeated] = await Promise.all([first, second]);
      assert.equal(result.status, 'COMPLETED', `${kind}: ${result.error_message}`);
      assert.equal(repeated.result.job_id, result.job_id);
      assert.equal(result.proof.length, 192);
      const file = path.join(folder, 'x.proof');
      fs.writeFileSync(file, result.proof);
      const check = run('verify', '--kind', kind, '--request', path.join(data, `${kinds[kind].file}.json`), '--params', params,
                        '--proof', file, '--no-progress');
      assert.equal(check.code, 0, check.err);
      assert.equal((await daemon.status()).counters.completed_by_kind[kind], 1);
    }
    const {text} = await daemon.get('/metrics');
    for (const label of ['winning_post', 'window_post', 'snap_update'])
      assert.match(text, new RegExp(`^cuzk_proofs_completed_total\\{proof_kind="${label}"\\} 1$`, 'm'));
    const hot = (await client.GetStatus()).loaded_srs.filter((row) => row.tier === 'HOT').map((row) => row.circuit_id).sort();
    assert.deepEqual(hot, ['snap-2k', 'winning-2k', 'wpost-2k']);
  });

  await t.test('the command proves them through the daemon', async () => {
    const out = path.join(folder, 'command.proof');
    const done = run('submit', '-a', 'unix://' + daemon.socket, '-t', 'winning', '--request', path.join(data, 'post/winning-2k.json'), '--wait', '--out', out);
    assert.equal(done.code, 0, done.err);
    assert.equal(fs.statSync(out).size, 192);
  });

  await t.test('a wrong field is named', async () => {
    const refused = async (kind, change, field, status = 'INVALID_ARGUMENT') => {
      const request = {...kinds[kind].request, request_id: 'wrong', ...change};
      await assert.rejects(client.Prove({submit: request}), (error) => {
        assert.equal(error.code, grpc.status[status], `${kind}, ${field}: ${error}`);
        assert.ok(error.details.includes(field), `${kind}: ${field} in: ${error.details}`);
        return true;
      });
    };
    const of = (kind) => kinds[kind].request.vanilla_proofs;
    const flipped = (bytes, at) => Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)));
    const common = (kind) => [
      [{sector_size: 4096}, 'sector_size'],
      [{registered_proof: 99}, 'registered_proof'],
      [{vanilla_proofs: []}, 'vanilla_proofs'],
      [{vanilla_proofs: [of(kind)[0].subarray(0, 100), ...of(kind).slice(1)]}, 'vanilla_proofs[0]'],
      [{vanilla_proofs: [flipped(of(kind)[0], 1000), ...of(kind).slice(1)]}, 'vanilla_proofs[0]'],
      [{vanilla_proof: Buffer.from('{}')}, 'vanilla_proof'],
    ];
    const posts = [
      [{randomness: Buffer.alloc(31)}, 'randomness'],
      [{randomness: Buffer.alloc(32, 1)}, 'vanilla_proofs[0]'],
      [{randomness: Buffer.alloc(0)}, 'randomness'],
      [{comm_r_old: Buffer.alloc(32)}, 'comm_r_old'],
    ];
    const cases = {
      'winning-post': [...posts, [{registered_proof: 5}, 'registered_proof'], [{partition_index: 1}, 'partition_index'],
                       [{vanilla_proofs: [...of('winning-post'), ...of('winning-post')]}, 'vanilla_proofs']],
      'window-post': [...posts, [{registered_proof: 0}, 'registered_proof']],
      'snap-update': [[{randomness: Buffer.alloc(32)}, 'randomness'], [{partition_index: 1}, 'partition_index'],
                      ...['comm_r_old', 'comm_r_new', 'comm_d_new'].flatMap((field) => [
                        [{[field]: Buffer.alloc(0)}, field], [{[field]: Buffer.alloc(31)}, field], [{[field]: Buffer.alloc(32, 1)}, '']]),
                      [{vanilla_proofs: [...of('snap-update'), ...of('snap-update')]}, 'vanilla_proofs']],
    };
    for (const [kind, own] of Object.entries(cases))
      for (const [change, field] of [...common(kind), ...own]) await refused(kind, change, field);
    // A good request for a circuit that has no parameters here.
    await assert.rejects(client.Prove({submit: porep('no-parameters')}), (error) => {
      assert.equal(error.code, grpc.status.FAILED_PRECONDITION, String(error));
      assert.match(error.details, /^PARAMS: /);
      return true;
    });
    assert.equal((await daemon.status()).counters.total_failed, 0, 'what is refused is no job');
  });
});
