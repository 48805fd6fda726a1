// The API as operators' clients use it: a gRPC library that is not ours, a real daemon, real 2 KiB sectors.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {X509Certificate} from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import tls from 'node:tls';
import grpc from '@grpc/grpc-js';
import reflection from 'grpc-js-reflection-client';
import {Daemon, c1File, connect, defaultConfig, health, params, porep, post, run, source, temporaryFolder, verifies, wait, wrapper} from './daemon.mjs';

const code = (status) => (error) => error.code === grpc.status[status] || assert.fail(`${status} expected: ${error}`);

test('one daemon', async (t) => {
  const folder = temporaryFolder(t);
  // The parameters of a 2 KiB sector's PoRep, and in the place of those of its Window PoSt what is none.
  const ownParams = path.join(folder, 'params');
  fs.mkdirSync(ownParams);
  for (const file of fs.readdirSync(params)) fs.symlinkSync(path.join(params, file), path.join(ownParams, file));
  const {params: damaged} = JSON.parse(fs.readFileSync(path.join(source, 'tests/data/post/window-2k-two.json')));
  fs.writeFileSync(path.join(ownParams, damaged), 'damaged');
  const daemon = await Daemon.start(folder, {config: defaultConfig(folder, {daemon: 'disconnect_grace = "1s"\n'})
      .replace(/param_cache = ".*"/, `param_cache = "${ownParams}"`)});
  t.after(() => daemon.end());
  const client = daemon.client();
  t.after(() => client.close());
  /** What was cancelled may still be on the device. */
  const idle = () => daemon.until(async () => (await client.GetStatus()).loaded_srs.every((row) => row.ref_count === 0));
  await t.test('socket: mode 0660', () => {
    assert.equal(fs.statSync(daemon.socket).mode & 0o777, 0o660);
  });

  await t.test('health answers', async () => {
    for (const address of ['unix://' + daemon.socket, daemon.tcp]) {
      assert.equal(await health(address, ''), 'SERVING');
      assert.equal(await health(address, 'cuzk.v1.ProvingEngine'), 'SERVING');
    }
    await assert.rejects(health(daemon.tcp, 'nobody'), code('NOT_FOUND'));
  });

  await t.test('reflection lists the service and its methods', async () => {
    const client = new reflection.GrpcReflection(daemon.tcp, grpc.ChannelCredentials.createInsecure());
    const services = await client.listServices();
    assert.ok(services.includes('cuzk.v1.ProvingEngine'), services);
    assert.ok(services.includes('grpc.health.v1.Health'), services);
    const methods = await client.listMethods('cuzk.v1.ProvingEngine');
    assert.deepEqual(methods.map((method) => method.name).sort(),
                     ['AwaitProof', 'CancelProof', 'EvictSRS', 'GetMetrics', 'GetStatus', 'PreloadSRS', 'Prove', 'SubmitProof']);
  });

  await t.test('malformed requests name the field', async () => {
    const refused = async (request, field) => {
      for (const call of [() => client.SubmitProof(request), () => client.Prove({submit: request})]) {
        await assert.rejects(call(), (error) => {
          assert.equal(error.code, grpc.status.INVALID_ARGUMENT, error);
          assert.ok(error.details.includes(field), `${field} in: ${error.details}`);
          return true;
        });
      }
    };
    await refused({...porep('x'), proof_kind: 'PROOF_KIND_UNSPECIFIED'}, 'proof_kind');
    await refused({...porep('x'), registered_proof: 99}, 'registered_proof');
    await refused({...porep('x'), vanilla_proof: Buffer.from('{}')}, 'vanilla_proof');
    await refused({...porep('x'), vanilla_proof: wrapper().subarray(0, 60_000)}, 'vanilla_proof');
    await refused({...porep('x'), randomness: Buffer.alloc(32)}, 'randomness');
    await assert.rejects(client.Prove({}), code('INVALID_ARGUMENT'));
    await assert.rejects(client.AwaitProof({job_id: 'nobody'}), code('NOT_FOUND'));
    await assert.rejects(client.CancelProof({job_id: 'nobody'}), code('NOT_FOUND'));
    // What an error repeats of it must fit into trailers.
    const long = 'x'.repeat(100_000);
    await assert.rejects(client.AwaitProof({job_id: long}), code('NOT_FOUND'));
    await assert.rejects(client.CancelProof({job_id: long}), code('NOT_FOUND'));
    await assert.rejects(client.PreloadSRS({circuit_id: long}), code('NOT_FOUND'));
    await assert.rejects(client.EvictSRS({circuit_id: long}), code('NOT_FOUND'));
    await assert.rejects(client.PreloadSRS({circuit_id: 'porep-3k'}), code('NOT_FOUND'));
    await assert.rejects(client.EvictSRS({circuit_id: 'porep-3k'}), code('NOT_FOUND'));
  });

  await t.test('an empty daemon shows every kind', async () => {
    const status = await client.GetStatus();
    assert.deepEqual(status.queues.map((row) => row.proof_kind).sort(), ['porep-c2', 'snap-update', 'window-post', 'winning-post']);
    assert.equal(status.gpus.length, 1);
    assert.equal(status.loaded_srs.find((row) => row.circuit_id === 'porep-2k').tier, 'COLD');
  });

  await t.test('more than 256 MiB: RESOURCE_EXHAUSTED', async () => {
    await assert.rejects(client.Prove({submit: porep('big', {padding: 257 << 20})}), code('RESOURCE_EXHAUSTED'));
  });

  let padded;
  await t.test('Prove with the wrapper padded to 200 MB', async () => {
    const {result} = await client.Prove({submit: porep('porep-1234-42', {padding: 200_000_000})});
    assert.equal(result.status, 'COMPLETED', result.error_message);
    assert.equal(result.proof.length, 192);
    assert.ok(verifies(folder, result.proof));
    assert.ok(result.total_ms >= result.synthesis_ms, 'one partition: the parts are within the whole');
    assert.ok(result.gpu_compute_ms > 0 && result.srs_load_ms > 0);
    padded = result;
  });

  await t.test('preload and evict', async () => {
    assert.equal((await client.PreloadSRS({circuit_id: 'porep-2k'})).already_loaded, true);
    const evicted = await client.EvictSRS({circuit_id: 'porep-2k'});
    assert.equal(evicted.was_loaded, true);
    assert.ok(evicted.freed_bytes > 0);
    assert.equal((await client.EvictSRS({circuit_id: 'porep-2k'})).was_loaded, false);
    const loaded = await client.PreloadSRS({circuit_id: 'porep-2k'});
    assert.equal(loaded.already_loaded, false);
    assert.equal((await client.GetStatus()).loaded_srs.find((row) => row.circuit_id === 'porep-2k').tier, 'HOT');
  });

  await t.test('20 in flight, mixed priorities, cancels and bad inputs: every good one verifies, none lost, none twice', async () => {
    const count = async (name) => (await daemon.get('/metrics')).text.split('\n').filter((line) => line.startsWith(`cuzk_${name}`))
        .reduce((sum, line) => sum + Number(line.split(' ').pop()), 0);
    const counters = async () => Object.fromEntries(await Promise.all(
        ['jobs_submitted_total', 'jobs_refused_total', 'jobs_deduplicated_total', 'proofs_completed_total', 'proofs_cancelled_total',
         'proofs_failed_total', 'partitions_proved_total'].map(async (name) => [name, await count(name)])));
    const before = await counters();
    const priorities = ['LOW', 'NORMAL', 'HIGH', 'CRITICAL', 'PRIORITY_UNSPECIFIED'];
    const name = (what, i) => `porep-1234-${what}-${i}`;

    // The retry: same id, same bytes, while the first runs.
    const good = [client.Prove({submit: porep(name('good', 0), {priority: 'CRITICAL'})})];
    await daemon.until(async () => (await client.GetStatus()).queues.some((row) => row.in_progress > 0));
    const retry = client.Prove({submit: porep(name('good', 0))});
    const cancelled = [];
    const bad = [];
    for (let i = 1; i < 8; ++i) {
      good.push(client.Prove({submit: porep(name('good', i), {priority: priorities[i % 5]})}));
      if (i < 7) cancelled.push((await client.SubmitProof(porep(name('cancelled', i), {priority: priorities[(i + 2) % 5]}))).job_id);
      // Two fail as jobs, as their parameters are damaged; the others are refused.
      const spoil = [{vanilla_proof: wrapper().subarray(0, 60_000)}, {registered_proof: 99}, {miner_id: 1235}, {vanilla_proof: Buffer.from('{}')}];
      if (i < 7) {
        const submit = i < 3 ? post('window-2k-two', 'WINDOW_POST_PARTITION', {request_id: name('bad', i), priority: priorities[i]})
                             : porep(name('bad', i), {priority: 'CRITICAL', ...spoil[i - 3]});
        bad.push(client.Prove({submit}).then(({result}) => `${result.status} ${result.error_message}`,
                                             (error) => `${grpc.status[error.code]} ${error.details}`));
      }
    }
    // Curio's deadline. One that passes while this machine is busy with something else is no failure, three are.
    const status = async () => {
      for (let left = 2;; --left) {
        try {
          return await client.GetStatus({}, {timeoutMs: 5000});
        } catch (error) {
          if (left === 0 || error.code !== grpc.status.DEADLINE_EXCEEDED) throw error;
        }
      }
    };
    let all = 0;
    const end = Date.now() + 120_000;  // for those of them that are being read
    for (let i = 0; i < 25 || (all < 13 && Date.now() < end); ++i) {
      all = Math.max(all, (await status()).queues.reduce((sum, row) => sum + row.pending + row.in_progress, 0));
      await wait(20);
    }
    assert.ok(all >= 13 && all <= 16, `${all} jobs are pending or in progress`);
    const late = cancelled[2];  // a low one
    assert.equal((await client.AwaitProof({job_id: late, timeout_ms: 50})).status, 'TIMEOUT');
    await assert.rejects(client.AwaitProof({job_id: late}, {timeoutMs: 50}), code('DEADLINE_EXCEEDED'));
    for (const job_id of cancelled) {
      await client.CancelProof({job_id});
      assert.equal((await client.AwaitProof({job_id}, {timeoutMs: 900_000})).status, 'CANCELLED');
    }
    const ends = await Promise.all(bad);
    for (const end of ends.slice(0, 2)) assert.match(end, /^FAILED PARAMS: /);
    for (const end of ends.slice(2)) assert.match(end, /^INVALID_ARGUMENT INVALID_INPUT: (vanilla_proof|registered_proof|miner_id)/);

    const results = (await Promise.all(good)).map(({result}) => result);
    const proofs = new Set();
    for (const [i, result] of results.entries()) {
      assert.equal(result.status, 'COMPLETED', result.error_message);
      assert.ok(verifies(folder, result.proof), `proof ${i}`);
      proofs.add(result.proof.toString('hex'));
    }
    assert.equal(proofs.size, 8, 'blinded anew, each');
    const repeated = (await retry).result;
    assert.equal(repeated.job_id, results[0].job_id);
    assert.deepEqual(repeated.proof, results[0].proof);
    // A retry after the end: the stored result, byte for byte.
    const after = (await client.Prove({submit: porep(name('good', 0))}, {timeoutMs: 60_000})).result;
    assert.deepEqual(after.proof, results[0].proof);
    assert.equal(after.job_id, results[0].job_id);
    const stored = await client.Prove({submit: porep('porep-1234-42', {padding: 200_000_000})});
    assert.equal(stored.result.job_id, padded.job_id);

    // By the daemon's own books: each request has its one end.
    const {history, pipelines} = await daemon.status();
    assert.deepEqual(pipelines, []);
    const expected = {};
    for (let i = 0; i < 8; ++i) expected[name('good', i)] = ['completed'];
    for (let i = 1; i < 7; ++i) expected[name('cancelled', i)] = ['cancelled'];
    for (let i = 1; i < 3; ++i) expected[name('bad', i)] = ['failed'];
    const found = {};
    for (const {request_id, state} of history) if (/-(good|cancelled|bad)-/.test(request_id)) (found[request_id] ??= []).push(state);
    assert.deepEqual(found, expected);
    const now = await counters();
    const {partitions_proved_total: proved, ...grown} = Object.fromEntries(Object.keys(now).map((key) => [key, now[key] - before[key]]));
    assert.deepEqual(grown, {jobs_submitted_total: 16, jobs_refused_total: 4, jobs_deduplicated_total: 3, proofs_completed_total: 8,
                             proofs_cancelled_total: 6, proofs_failed_total: 2});
    assert.ok(proved >= 8 && proved <= 10, `${proved} partitions were proved`);  // of what was cancelled some were on the device
  });

  await t.test('a client that hangs up: the job is cancelled after the grace', async () => {
    const before = (await daemon.status()).counters.total_cancelled;
    const call = client.Prove({submit: porep('hung-up')});
    await daemon.until(async () => (await daemon.status()).pipelines.some((job) => job.request_id === 'hung-up'));
    call.cancel();
    await assert.rejects(call, code('CANCELLED'));
    await daemon.until(async () => (await daemon.status()).counters.total_cancelled > before);
    const {history} = await daemon.status();
    assert.equal(history.find((job) => job.request_id === 'hung-up').state, 'cancelled');
  });

  await t.test('promtool accepts the metrics; both ways give the same families', async () => {
    const {status, text, headers} = await daemon.get('/metrics');
    assert.equal(status, 200);
    assert.match(headers.get('content-type'), /^text\/plain; version=0\.0\.4/);
    const check = spawnSync('promtool', ['check', 'metrics'], {input: text, encoding: 'utf8'});
    assert.equal(check.status, 0, `${check.error ?? ''}${check.stdout}${check.stderr}`);
    assert.equal(check.stdout + check.stderr, '');
    const families = (page) => page.split('\n').filter((line) => line.startsWith('# TYPE')).sort();
    assert.deepEqual(families((await client.GetMetrics()).prometheus_text), families(text));
    const value = (name) => Number(text.split('\n').find((line) => line.startsWith(name + ' ')).split(' ').pop());
    assert.ok(value('cuzk_proofs_completed_total{proof_kind="porep_c2"}') >= 3);
    assert.ok(value('cuzk_pce_hits_total') >= 2, 'the second proof finds its shape');
    assert.ok(value('cuzk_proof_duration_seconds_count{proof_kind="porep_c2"}') >= 3);
    assert.ok(value('cuzk_stage_duration_seconds_count{stage="lock_held"}') >= 3);
  });

  await t.test('side port', async () => {
    for (const path of ['/status', '/events', '/events?since=3&limit=2', '/trace']) {
      const {status, text, headers} = await daemon.get(path);
      assert.equal(status, 200);
      JSON.parse(text);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('content-security-policy'), "default-src 'self'");
      assert.equal(headers.get('access-control-allow-origin'), null);
    }
    assert.equal((await daemon.get('/healthz')).status, 200);
    assert.equal((await daemon.get('/readyz')).text, 'ready\n');
    assert.equal((await daemon.get('/none')).status, 404);
    assert.equal((await daemon.get('/status', {method: 'POST', body: '{}'})).status, 405);
    assert.equal((await daemon.get('/status', {method: 'HEAD'})).status, 200);
    assert.equal((await daemon.get('/events?since=x')).status, 400);
    const lines = (await daemon.get('/timeline')).text;
    assert.match(lines, /^TIMELINE,[0-9.]+,SYNTH_START,/m);
    assert.match(lines, /^TIMELINE,[0-9.]+,JOB_DONE,/m);
  });

  await t.test('the commands talk to it', async () => {
    const address = ['--addr', 'unix://' + daemon.socket];
    const file = path.join(folder, 'wrapper.json');
    fs.writeFileSync(file, wrapper());
    const job = ['-t', 'porep', '--c1', file, '--registered-proof', '5', '--sector-num', '42', '--miner-id', '1234', '--sector-size', '2048',
                 '--request-id', 'porep-1234-good-0'];
    const proof = path.join(folder, 'command.proof');
    const submitted = run('submit', ...address, ...job, '--wait', '--out', proof);
    // The same payload under the same id as above, so the stored result.
    assert.equal(submitted.code, 0, submitted.err);
    assert.ok(verifies(folder, fs.readFileSync(proof)));
    const again = run('submit', ...address, ...job, '--json');
    const {job_id} = JSON.parse(again.out);
    assert.equal(JSON.parse(run('await', ...address, job_id, '--json').out).proof, fs.readFileSync(proof).toString('hex'));
    // Before anything is asked for: what could not be written, what the request file says wrongly.
    const nowhere = path.join(folder, 'none/x.proof');
    for (const args of [['submit', ...address, ...job.slice(0, -1), 'nowhere', '--wait', '--out', nowhere], ['await', ...address, job_id, '--out', nowhere]]) {
      const {code, err} = run(...args);
      assert.equal(code, 3);
      assert.ok(err.includes(nowhere), err);
    }
    assert.ok(!(await daemon.status()).history.some((row) => row.request_id === 'nowhere'));
    const known = path.join(source, 'tests/data/post/window-2k-two.json');
    for (const [member, value] of [['partition_index', 2 ** 32], ['partition_index', '3'], ['sector_size', -1], ['randomness', 5], ['registered_post_proof', [5]],
                                   ['sector_count', 99], ['params', 'foo'], ['kind', 'Winning']]) {
      const wrong = path.join(folder, 'wrong.json');
      fs.writeFileSync(wrong, JSON.stringify({...JSON.parse(fs.readFileSync(known)), [member]: value}));
      const {code, err} = run('submit', ...address, '-t', 'wpost', '--request', wrong);
      assert.equal(code, 1, err);
      assert.ok(err.includes(`'${wrong}': ${member}: `), err);
    }
    assert.match(run('cancel', ...address, job_id).out, /^nothing to cancel/);
    assert.deepEqual(JSON.parse(run('cancel', ...address, job_id, '--json').out), {job_id, was_running: false, was_finished: true});
    assert.equal(run('await', ...address, 'nobody').code, 2);
    assert.match(run('status', ...address).out, /porep-c2 +0 waiting, 0 in progress/);
    assert.equal(JSON.parse(run('status', ...address, '--json').out).queues.length, 4);
    assert.match(run('preload', ...address, '-c', 'porep-2k').out, /was loaded already/);
    await idle();
    assert.match(run('evict', ...address, 'porep-2k').out, /bytes freed/);
    assert.match(run('metrics', ...address).out, /^cuzk_build_info\{version="[0-9.]+"\} 1$/m);
    assert.equal(run('status', '--addr', 'unix://' + folder + '/nobody.sock').code, 3);
    assert.equal(run('submit', ...address, '-t', 'porep').code, 2);
    assert.equal(run('submit', ...address, '-t', 'porep', '--c1', c1File).code, 2);
    assert.equal(run('submit', ...address, ...job.map((word) => (word === '42' ? '43' : word))).code, 1);
    for (const flag of ['--sector-num', '--miner-id', '--partition']) assert.equal(run('submit', ...address, ...job.slice(0, 4), flag, '-1').code, 2);
  });

  await t.test('bench against it', async () => {
    await idle();
    const report = path.join(folder, 'bench.json');
    const plot = path.join(folder, 'bench.svg');
    const job = ['-t', 'porep', '--c1', path.join(folder, 'wrapper.json'), '--registered-proof', '5', '--sector-num', '42', '--miner-id', '1234'];
    const done = run('bench', 'single', '--addr', 'unix://' + daemon.socket, ...job, '--warm-up', '0', '--out', report, '--svg', plot);
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /^proofs +1 in [0-9.]+ s, 0 failed/m);
    const [measured] = JSON.parse(fs.readFileSync(report)).runs;
    assert.equal(measured.proofs, 1);
    assert.ok(measured.latency_seconds.p99 > 0 && measured.latency_seconds.p99 <= measured.wall_seconds);
    assert.ok(measured.device_efficiency > 0 && measured.device_efficiency <= 1);
    assert.ok(measured.peak_resident_bytes > 1 << 26);
    assert.match(fs.readFileSync(plot, 'utf8'), /^<svg /);
    // A proof that fails is a code that is not 0, as of submit: here the request is bad.
    const wrong = run('bench', 'batch', '-c', '2', '-j', '2', '--addr', 'unix://' + daemon.socket, ...job, '--partition', '3', '--warm-up', '0');
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /2 of 2 proofs failed/);
  });

  await t.test('its log is one JSON object a line', () => {
    assert.deepEqual(daemon.log.filter((line) => line.plain), []);
    assert.ok(daemon.log.some((line) => line.msg === 'job completed' && line.request === 'porep-1234-good-0'));
  });
});

test('TLS with client certificates, and a token over TCP', async (t) => {
  const folder = temporaryFolder(t);
  const openssl = (...args) => {
    const made = spawnSync('openssl', args, {cwd: folder, encoding: 'utf8'});
    assert.equal(made.status, 0, made.stderr);
  };
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout',
          'ca.key', '-out', 'ca.crt', '-subj', '/CN=test CA');
  for (const name of ['server', 'client', 'renewed']) {
    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', `${name}.key`, '-out',
            `${name}.csr`, '-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1');
    openssl('x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2',
            '-copy_extensions', 'copy', '-out', `${name}.crt`);
  }
  fs.writeFileSync(path.join(folder, 'token'), 'let me in\n');
  const daemon = await Daemon.start(folder, {config: defaultConfig(folder, {daemon: `tls_cert = "${folder}/server.crt"
tls_key = "${folder}/server.key"
tls_client_ca = "${folder}/ca.crt"
token_file = "${folder}/token"`})});
  t.after(() => daemon.end());
  const read = (name) => fs.readFileSync(path.join(folder, name));
  const mutual = grpc.credentials.createSsl(read('ca.crt'), read('client.key'), read('client.crt'));
  const attempt = async (credentials, token) => {
    const client = connect(daemon.tcp, credentials);
    const metadata = new grpc.Metadata();
    if (token) metadata.set('authorization', `Bearer ${token}`);
    try {
      return await client.GetStatus({}, {timeoutMs: 60_000, metadata});
    } finally {
      client.close();
    }
  };
  assert.equal((await attempt(mutual, 'let me in')).queues.length, 4);
  await assert.rejects(attempt(mutual, 'please'), code('UNAUTHENTICATED'));
  await assert.rejects(attempt(mutual), code('UNAUTHENTICATED'));
  await assert.rejects(attempt(grpc.credentials.createSsl(read('ca.crt')), 'let me in'));
  await assert.rejects(attempt(grpc.credentials.createInsecure(), 'let me in'));
  // What the library says of that is in the daemon's log, in its form.
  await daemon.until(() => daemon.log.some((line) => line.level === 'warn' && /^gRPC: Handshake failed/.test(line.msg)));
  assert.deepEqual(daemon.log.filter((line) => line.plain), []);
  // The socket stays as clients know it.
  const local = daemon.client();
  assert.equal((await local.GetStatus()).queues.length, 4);
  local.close();
  // A client of another authority, and files that cannot be: told at start, by name.
  openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', 'other.key', '-out', 'other.crt', '-subj', '/CN=other');
  await assert.rejects(attempt(grpc.credentials.createSsl(read('ca.crt'), read('other.key'), read('other.crt')), 'let me in'));
  await assert.rejects(attempt(grpc.credentials.createSsl(read('other.crt'), read('client.key'), read('client.crt')), 'let me in'));
  for (const [cert, key, words] of [['server.crt', 'other.key', /daemon\.tls_key: '.*other\.key': key values mismatch/],
                                    ['none.crt', 'server.key', /daemon\.tls_cert: .*none\.crt': No such file/],
                                    ['server.crt', 'token', /daemon\.tls_key: '.*token': /]]) {
    const config = `[daemon]\nlisten = "127.0.0.1:0"\nstatus_listen = ""\njournal = ""\ntls_cert = "${folder}/${cert}"\ntls_key = "${folder}/${key}"\n`;
    fs.writeFileSync(path.join(folder, 'tls.toml'), config);
    const {code: exit, err} = run('serve', '--config', path.join(folder, 'tls.toml'));
    assert.equal(exit, 2);
    assert.match(err, words);
  }
  // The command's own client.
  assert.equal(run('status', '-a', daemon.tcp, '--tls-ca', `${folder}/ca.crt`, '--tls-cert', `${folder}/client.crt`,
                   '--tls-key', `${folder}/client.key`, '--token-file', `${folder}/token`).code, 0);
  // Half a renewal, and a file that is gone: what was there before is shown.
  const fingerprint = () => new Promise((resolve, reject) => {
    const socket = tls.connect({host: '127.0.0.1', servername: 'localhost', port: Number(daemon.tcp.split(':').pop()), ca: read('ca.crt'), key: read('client.key'), cert: read('client.crt'),
                                ALPNProtocols: ['h2']}, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
  const fingerprintOf = (name) => new X509Certificate(read(name)).fingerprint256;
  const kept = connect(daemon.tcp, mutual);
  t.after(() => kept.close());
  const asked = async () => {
    const metadata = new grpc.Metadata();
    metadata.set('authorization', 'Bearer let me in');
    return (await kept.GetStatus({}, {timeoutMs: 60_000, metadata})).queues.length;
  };
  assert.equal(await asked(), 4);
  const first = fingerprintOf('server.crt');
  assert.equal(await fingerprint(), first);
  fs.writeFileSync(path.join(folder, 'server.key'), read('renewed.key'));
  await daemon.until(() => daemon.log.some((line) => /^the TLS files cannot be used/.test(line.msg) && /key values mismatch/.test(line.reason)));
  await wait(2500);  // gRPC looks every second
  assert.equal(await fingerprint(), first);
  fs.rmSync(path.join(folder, 'server.crt'));
  await daemon.until(() => daemon.log.some((line) => /^the TLS files cannot be used/.test(line.msg) && /No such file/.test(line.reason)));
  await wait(2500);
  assert.equal(await fingerprint(), first);
  assert.equal((await attempt(mutual, 'let me in')).queues.length, 4);
  // The other half: shown to who comes now, and nobody is cut off.
  fs.writeFileSync(path.join(folder, 'server.crt'), read('renewed.crt'));
  await daemon.until(() => daemon.said('the TLS files were renewed'));
  await daemon.until(async () => (await fingerprint()) === fingerprintOf('renewed.crt'));
  assert.equal((await attempt(mutual, 'let me in')).queues.length, 4);
  assert.equal(await asked(), 4);
});
