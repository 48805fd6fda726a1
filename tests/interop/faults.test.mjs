// What goes wrong in practice: crashes, shutdowns, other daemons, bad configuration, crowds of connections.
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import {test} from 'node:test';
import grpc from '@grpc/grpc-js';
import {Daemon, connect, cuzk, defaultConfig, health, params, plainConnection, porep, run, simulated, temporaryFolder, verifies, wait} from './daemon.mjs';
import {killWithRealProofs} from './kills.mjs';

test('kill -9 on the simulated backend, 50 times: no accepted job is lost', async (t) => {
  const folder = temporaryFolder(t);
  const program = [simulated, '--milliseconds', '1'];
  const seed = Number(process.env.CUZK_SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  let state = seed;
  const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  const kinds = ['POREP_SEAL_COMMIT', 'SNAP_DEALS_UPDATE', 'WINDOW_POST_PARTITION', 'WINNING_POST'];
  const accepted = new Map();  // job id -> sector number
  const results = new Map();   // job id -> proof, as first told
  let tag = 0;
  const jobs = 6;
  for (let kill = 0; kill < 50; ++kill) {
    const daemon = await Daemon.start(folder, {program});
    assert.ok(daemon.said('ready'), daemon.words());
    const client = daemon.client();
    const work = [];
    // Killed so many milliseconds after so many answers: on a busy machine, too, something was going on by then.
    const last = random(2 * jobs + 1);
    let answers = 0;
    for (let i = 0; i < jobs; ++i) {
      const mine = ++tag;
      work.push(client.SubmitProof({request_id: `r-${mine}`, proof_kind: kinds[mine % 4], sector_number: mine,
                                    vanilla_proof: Buffer.from('simulated')})
                    .then(async ({job_id}) => {
                      accepted.set(job_id, mine);
                      ++answers;
                      const result = await client.AwaitProof({job_id});
                      ++answers;
                      if (result.status === 'COMPLETED') results.set(job_id, result.proof);
                    }).catch((error) => assert.equal(error.code, grpc.status.UNAVAILABLE, String(error))));
    }
    await daemon.until(() => answers >= last);
    await wait(random(20));
    await daemon.kill();
    await Promise.all(work);
    client.close();
  }
  assert.ok(accepted.size >= 50, `${accepted.size} jobs were accepted`);
  const daemon = await Daemon.start(folder, {program});
  t.after(() => daemon.end());
  const client = daemon.client();
  for (const [job_id, number] of accepted) {
    const result = await client.AwaitProof({job_id, timeout_ms: 600_000});
    assert.equal(result.status, 'COMPLETED', `${job_id}: ${result.error_message}`);
    const partitions = [10, 16, 1, 1][kinds.indexOf(kinds[number % 4])];
    assert.equal(result.proof.length, 192 * partitions);
    // What was once reported is what is there.
    if (results.has(job_id)) assert.deepEqual(result.proof, results.get(job_id));
  }
  const all = (await daemon.status()).counters;
  assert.equal(all.total_failed, 0);
  client.close();
});

test('kill -9 with real proofs, 3 times', async (t) => {
  const folder = temporaryFolder(t);
  // Recording the shape, loading parameters or proving; at start.
  const {daemon, client, jobs} = await killWithRealProofs(folder, {kills: 3, jobs: 2, inFlight: 2, moment: (kill) => [1500, 3000, 400][kill]});
  t.after(() => daemon.end());
  // A retry by request id finds the result of the job that survived.
  const retry = await client.Prove({submit: porep('porep-1234-0')}, {timeoutMs: 60_000});
  assert.equal(retry.result.job_id, jobs[0]);

  // SIGTERM: what was accepted is finished, its client answered, new work refused.
  const last = client.Prove({submit: porep('the last one')});
  await daemon.until(async () => (await daemon.status()).pipelines.length === 1);
  daemon.process.kill('SIGTERM');
  await daemon.until(() => daemon.said('draining'));
  await daemon.until(async () => (await daemon.get('/readyz')).status === 503);
  assert.equal((await daemon.get('/readyz')).text, 'draining\n');
  await assert.rejects(client.SubmitProof(porep('too late')), (error) => error.code === grpc.status.UNAVAILABLE);
  const repeated = client.Prove({submit: porep('the last one')});  // of a client whose connection broke
  const {result} = await last;
  assert.equal(result.status, 'COMPLETED', result.error_message);
  assert.deepEqual((await repeated).result.proof, result.proof);
  assert.ok(verifies(folder, result.proof));
  assert.deepEqual(await daemon.exited, {code: 0, signal: null});
  assert.ok(!fs.existsSync(daemon.socket), 'the socket goes with its daemon');
  client.close();
});

test('drain_timeout: waiters are told, the journal runs the job at the next start', async (t) => {
  const folder = temporaryFolder(t);
  const program = [simulated, '--milliseconds', '1000'];
  const config = defaultConfig(folder, {daemon: 'drain_timeout = "200ms"'});
  let daemon = await Daemon.start(folder, {program, config});
  let client = daemon.client();
  const simulatedPorep = {request_id: 'x', proof_kind: 'POREP_SEAL_COMMIT', sector_number: 5, vanilla_proof: Buffer.from('simulated')};
  const call = client.Prove({submit: simulatedPorep});
  await daemon.until(async () => (await daemon.status()).pipelines.some((job) => job.state === 'running'));
  assert.deepEqual(await daemon.kill('SIGTERM'), {code: 0, signal: null});
  const {result} = await call;
  assert.equal(result.status, 'FAILED');
  assert.match(result.error_message, /^SHUTDOWN/);
  client.close();

  daemon = await Daemon.start(folder, {program: [simulated], config});
  client = daemon.client();
  const again = await client.AwaitProof({job_id: result.job_id, timeout_ms: 600_000});
  assert.equal(again.status, 'COMPLETED', again.error_message);
  client.close();
  await daemon.end();
});

test('second signal: exit now', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated, '--milliseconds', '10000'],
                                             config: defaultConfig(folder, {daemon: 'drain_timeout = "10m"'})});
  const client = daemon.client();
  client.Prove({submit: {proof_kind: 'WINNING_POST', sector_number: 6, vanilla_proof: Buffer.from('simulated')}}).catch(() => {});
  await daemon.until(async () => (await daemon.status()).pipelines.some((job) => job.state === 'running'));
  daemon.process.kill('SIGINT');
  await daemon.until(() => daemon.said('draining'));
  daemon.process.kill('SIGTERM');
  assert.deepEqual(await daemon.exited, {code: 3, signal: null});
  client.close();
});

test('a log that nobody reads halts nothing', async (t) => {
  const folder = temporaryFolder(t);
  // A pipe that is full from the start. Whoever writes to the second descriptor waits.
  const pipe = path.join(folder, 'stderr');
  spawnSync('mkfifo', [pipe]);
  const filler = fs.openSync(pipe, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  const stderr = fs.openSync(pipe, fs.constants.O_RDWR);
  t.after(() => [filler, stderr].forEach((fd) => fs.closeSync(fd)));
  assert.throws(() => { for (;;) fs.writeSync(filler, Buffer.alloc(4096)); }, {code: 'EAGAIN'});
  const file = path.join(folder, 'cuzk.toml');
  fs.writeFileSync(file, defaultConfig(folder, {daemon: 'drain_timeout = "10m"'}));
  for (const milliseconds of [1, 100_000]) {
    const daemon = spawn(simulated, ['--milliseconds', `${milliseconds}`, '--config', file], {stdio: ['ignore', 'inherit', stderr]});
    t.after(() => daemon.kill('SIGKILL'));
    let over = false;
    const exited = new Promise((resolve) => daemon.on('exit', (code) => resolve(over = code)));
    const client = connect('unix://' + path.join(folder, 'cuzk.sock'));
    const status = () => client.GetStatus({}, {timeoutMs: 60_000}).catch(() => undefined);
    while (over === false && !(await status())) await wait(20);
    const job = {proof_kind: 'WINNING_POST', vanilla_proof: Buffer.from('simulated')};
    const submitted = await client.SubmitProof({...job, sector_number: milliseconds}, {timeoutMs: 60_000});
    if (milliseconds === 1) {
      assert.equal((await client.AwaitProof(submitted, {timeoutMs: 60_000})).status, 'COMPLETED');
      daemon.kill('SIGTERM');
      assert.equal(await exited, 0, 'a clean stop');
    } else {
      while (!(await status()).queues.some((row) => row.in_progress > 0)) await wait(20);
      daemon.kill('SIGTERM');
      while ((await client.SubmitProof({...job, sector_number: 1}, {timeoutMs: 60_000}).catch((error) => error)).job_id) await wait(20);
      daemon.kill('SIGTERM');
      assert.equal(await exited, 3, 'exit now');
    }
    client.close();
  }
});

test('the socket of a live daemon is not taken, that of a dead one is', async (t) => {
  const folder = temporaryFolder(t);
  const first = await Daemon.start(folder, {program: [simulated]});
  t.after(() => first.end());
  const other = (name) => defaultConfig(folder).replace('/journal"', `/${name}"`);
  const second = await Daemon.start(folder, {program: [simulated], config: other('second')});
  assert.deepEqual(await second.exited, {code: 3, signal: null});
  assert.ok(second.words().includes('a live daemon has it'), second.words());
  const taken = await Daemon.start(folder, {program: [simulated], config: other('third')
      .replace(/listen = \[.*\]/, `listen = "${first.tcp}"`)});
  assert.deepEqual(await taken.exited, {code: 3, signal: null});
  const port = await Daemon.start(folder, {program: [simulated], config: other('fourth')
      .replace(/listen = \[.*\]/, 'listen = "127.0.0.1:0"').replace('status_listen = "127.0.0.1:0"', `status_listen = "127.0.0.1:${first.port}"`)});
  assert.deepEqual(await port.exited, {code: 3, signal: null});
  const client = first.client();
  assert.equal((await client.GetStatus()).queues.length, 4);
  client.close();

  await first.kill('SIGKILL');
  assert.ok(fs.existsSync(first.socket), 'a killed daemon leaves its socket');
  const next = await Daemon.start(folder, {program: [simulated]});
  t.after(() => next.end());
  const again = next.client();
  assert.equal((await again.GetStatus()).queues.length, 4);
  again.close();
});

test('a full disk: nothing new is accepted, what ran is delivered, kept as soon as it can be, and never lost', async (t) => {
  const folder = temporaryFolder(t);
  const program = [simulated, '--milliseconds', '400'];
  const job = (number, size = 0) => ({request_id: `r-${number}`, proof_kind: 'WINNING_POST', sector_number: number,
                                      vanilla_proof: Buffer.from('simulated'), comm_r_old: Buffer.alloc(size)});
  const refused = (call) => assert.rejects(call, (error) => {
    assert.equal(error.code, grpc.status.RESOURCE_EXHAUSTED, String(error));
    assert.match(error.details, /^RESOURCE/);
    return true;
  });
  const metric = async (daemon, name) => Number(new RegExp(`^${name} (.*)$`, 'm').exec((await daemon.get('/metrics')).text)[1]);
  // The limit of a file's size stands for the full disk: a write beyond it fails, also in the database's log.
  const limit = (daemon, bytes) => {
    const {status, stderr} = spawnSync('prlimit', ['--pid', daemon.process.pid, `--fsize=${bytes}:`], {encoding: 'utf8'});
    assert.equal(status, 0, stderr);
  };
  let daemon = await Daemon.start(folder, {program});
  t.after(() => daemon.end());
  let client = daemon.client();
  limit(daemon, 2 << 20);
  await refused(client.SubmitProof(job(1, 4 << 20)));
  const unready = await daemon.get('/readyz');
  assert.equal(unready.status, 503);
  assert.match(unready.text, /^the journal cannot store requests: /);
  assert.equal(await metric(daemon, 'cuzk_journal_failing'), 1);
  assert.equal((await client.Prove({submit: job(2)})).result.status, 'COMPLETED');

  const whileFull = async (number, bytes, alsoThen = async () => {}) => {
    const {job_id} = await client.SubmitProof(job(number));
    await daemon.until(async () => (await daemon.status()).pipelines.some((row) => row.state === 'running'));
    limit(daemon, bytes);
    await alsoThen();
    const result = await client.AwaitProof({job_id});
    assert.equal(result.status, 'COMPLETED', 'delivered all the same');
    assert.equal(await metric(daemon, 'cuzk_journal_failing'), 1, 'storing the result failed');
    assert.ok(await metric(daemon, 'cuzk_journal_failures_total') > 0);
    assert.deepEqual(await daemon.get('/readyz').then(({status, text}) => [status, text]), [503, 'the journal cannot store results\n']);
    await refused(client.SubmitProof(job(number + 1)));
    return result;
  };
  // There is room again: what could not be stored is stored, and survives.
  const kept = await whileFull(3, 1);
  limit(daemon, 'unlimited');
  await daemon.until(async () => (await daemon.get('/readyz')).status === 200);
  assert.equal(await metric(daemon, 'cuzk_journal_failing'), 0);
  await daemon.kill();
  client.close();
  daemon = await Daemon.start(folder, {program});
  client = daemon.client();
  assert.equal(daemon.said('ready').recovered_jobs, 0);
  assert.deepEqual((await client.AwaitProof({job_id: kept.job_id})).proof, kept.proof);

  // There is none until the end: what was reported is beside its request, whose file the limit does not cut.
  // Of a cancellation too, so that its answer is the usual one.
  const cancelled = await client.SubmitProof(job(10));
  const beside = await whileFull(5, 12 << 10, async () => {
    cancelled.status = (await client.CancelProof({job_id: cancelled.job_id})).was_finished ? 'COMPLETED' : 'CANCELLED';
  });
  await daemon.kill();
  client.close();
  daemon = await Daemon.start(folder, {program});
  client = daemon.client();
  assert.equal(daemon.said('ready').recovered_jobs, 0);
  assert.deepEqual((await client.AwaitProof({job_id: beside.job_id})).proof, beside.proof);
  assert.equal((await client.AwaitProof({job_id: cancelled.job_id})).status, cancelled.status);

  // Not even there: the job is proved again, under its id.
  const lost = await whileFull(7, 1);
  await daemon.kill();
  client.close();
  daemon = await Daemon.start(folder, {program});
  client = daemon.client();
  assert.equal(daemon.said('ready').recovered_jobs, 1);
  const again = await client.AwaitProof({job_id: lost.job_id});
  assert.equal(again.status, 'COMPLETED', again.error_message);
  assert.equal((await daemon.status()).counters.total_completed, 1);

  // Moved away under the daemon: what is done meanwhile would not be found.
  const journal = path.join(folder, 'journal');
  fs.renameSync(journal, `${journal}-moved`);
  const moved = await daemon.get('/readyz');
  assert.equal(moved.status, 503);
  assert.ok(moved.text.includes(`'${journal}' was moved or removed`), moved.text);
  await refused(client.SubmitProof(job(11)));
  fs.renameSync(`${journal}-moved`, journal);
  await daemon.until(async () => (await daemon.get('/readyz')).status === 200);
  assert.equal((await client.Prove({submit: job(11)})).result.status, 'COMPLETED');
  client.close();
});

test('configuration: a typo names its line, the ancestor\'s example is taken', async (t) => {
  const folder = temporaryFolder(t);
  const file = path.join(folder, 'c.toml');
  fs.writeFileSync(file, '[daemon]\nlisten = "unix:///tmp/x.sock"\n[memory]\ntotal_bugdet = "5GiB"\n');
  for (const flags of [[], ['--check-config']]) {
    const {code, err} = run('serve', '--config', file, ...flags);
    assert.equal(code, 2);
    assert.ok(err.includes(`${file}:4:1: unknown key \`memory.total_bugdet\`, did you mean \`total_budget\`?`), err);
  }
  // The library would take this for another name of a socket that may be a live daemon's.
  fs.writeFileSync(file, `[daemon]\nlisten = "unix://${folder}/s%2esock"\n`);
  const alias = run('serve', '--config', file);
  assert.equal(alias.code, 2);
  assert.ok(alias.err.includes(`${file}:2:10: daemon.listen: `), alias.err);
  assert.equal(run('serve', '--config', path.join(folder, 'none.toml')).code, 2);
  assert.equal(run('serve', '--check-config', '--config', path.join(process.env.CUZK_SOURCE, 'packaging/cuzk.example.toml')).code, 0);

  // An ancestor's file, with every key that it had, but its fixed port.
  const ancestor = `[daemon]
listen = "127.0.0.1:0"
[srs]
param_cache = "${params}"
preload = ["porep-2k"]
[memory]
total_budget = "auto"
safety_margin = "5GiB"
eviction_min_idle = "5m"
pinned_budget = "50GiB"
working_memory_budget = "0"
[gpus]
devices = []
gpu_threads = 32
gpu_workers_per_device = 2
[scheduler]
max_batch_size = 1
max_batch_wait_ms = 10000
sort_by_type = true
[synthesis]
threads = 0
partition_workers = 4
[pipeline]
enabled = true
synthesis_lookahead = 1
synthesis_concurrency = 1
[logging]
level = "info"
`;
  const daemon = await Daemon.start(folder, {
    config: ancestor.replace('[srs]', 'status_listen = ""\n[srs]'),
    program: [cuzk, 'serve', '--log-format', 'json'],
    environment: {STATE_DIRECTORY: path.join(folder, 'state')}
  });
  t.after(() => daemon.end());
  const warnings = daemon.log.filter((line) => line.level === 'warn').map((line) => line.msg);
  assert.equal(warnings.filter((text) => /accepted without effect/.test(text)).length, 2, daemon.words());
  await daemon.until(() => daemon.said('preloaded'));
  // SIGHUP: the file's level, but a flag wins, then as at the start.
  const reload = async (daemon, level) => {
    const text = fs.readFileSync(path.join(folder, 'cuzk.toml'), 'utf8');
    fs.writeFileSync(path.join(folder, 'cuzk.toml'), text.replace(/level = ".*"/, `level = "${level}"`));
    const before = daemon.log.length;
    daemon.process.kill('SIGHUP');
    return () => daemon.log.slice(before).filter((line) => line.msg.startsWith('SIGHUP')).map((line) => line.msg);
  };
  const seen = await reload(daemon, 'debug');
  await daemon.until(() => seen().length > 0);
  assert.deepEqual(seen(), ['SIGHUP: the configuration was read for the level of the log'], 'the flag\'s format is no change of the file');
  await reload(daemon, 'error');
  assert.deepEqual(await daemon.kill('SIGTERM'), {code: 0, signal: null});
  assert.ok(!daemon.said('draining'), 'the file asked for errors only');

  const flagged = await Daemon.start(folder, {config: ancestor.replace('[srs]', 'status_listen = ""\n[srs]').replace(/preload = .*/, ''),
                                              program: [cuzk, 'serve', '--log-format', 'json', '--log-level', 'info'],
                                              environment: {STATE_DIRECTORY: path.join(folder, 'state')}});
  t.after(() => flagged.end());
  const heard = await reload(flagged, 'error');
  await flagged.until(() => heard().length > 0);
  assert.deepEqual(await flagged.kill('SIGTERM'), {code: 0, signal: null});
  assert.ok(flagged.said('draining'), 'the flag asked for more');
});

test('health and the service manager are told what readiness says', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated, '--milliseconds', '300', '--devices', '3'],
                                             config: defaultConfig(folder).replace(/journal = .*/, 'journal = ""')});
  t.after(() => daemon.end());
  const both = async () => [await health(daemon.tcp), await health(daemon.tcp, 'cuzk.v1.ProvingEngine')];
  assert.deepEqual(await both(), ['SERVING', 'SERVING']);
  const client = daemon.client();
  // Two of three devices are lost with this job, and the last one with the next.
  const lethal = {submit: {proof_kind: 'WINNING_POST', sector_number: 666, vanilla_proof: Buffer.from('simulated')}};
  const {result} = await client.Prove(lethal);
  assert.equal(result.status, 'FAILED');
  assert.match(result.error_message, /^DEVICE: partition 0: two devices/);
  const status = run('status', '--addr', 'unix://' + daemon.socket).out;
  assert.match(status, /^state +ready$/m);
  assert.equal(status.match(/^device . .*, IN QUARANTINE: ./mg).length, 2);
  assert.deepEqual(await both(), ['SERVING', 'SERVING']);
  // Nothing keeps its jobs: they fail, and it ends, as it cannot prove any more.
  const last = (await client.Prove(lethal)).result;
  assert.match(last.error_message, /^DEVICE: every device is out of service/);
  assert.deepEqual(await daemon.exited, {code: 4, signal: null});
  assert.match(daemon.said('the last device is lost').reason, /simulated/);
  client.close();

  // A manager like systemd is told. Node has no such sockets; perl is always there.
  const socket = path.join(folder, 'notify.sock');
  const manager = spawn('perl', ['-MSocket', '-e', `$| = 1; socket(S, PF_UNIX, SOCK_DGRAM, 0) && bind(S, sockaddr_un($ARGV[0])) or die $!;
      print "bound\\n"; while (defined recv(S, $_, 4096, 0)) { print "$_\\n" }`, socket], {stdio: ['ignore', 'pipe', 'inherit']});
  t.after(() => manager.kill());
  const told = [];
  manager.stdout.on('data', (text) => told.push(...String(text).split('\n').filter((line) => line)));
  const isTold = (line, after = 0) => daemon.until(() => told.indexOf(line, after) >= 0);
  await isTold('bound');
  const next = await Daemon.start(folder, {program: [simulated, '--milliseconds', '2000'],
                                           environment: {NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000'}});
  t.after(() => next.end());
  await isTold('READY=1');
  assert.equal((await next.get('/readyz')).status, 200);
  await isTold('STATUS=0 jobs running, 0 waiting');
  await isTold('WATCHDOG=1');
  assert.ok(!told.includes('STOPPING=1'));
  const patient = next.client();
  assert.equal(await health(next.tcp), 'SERVING');
  const call = patient.Prove({submit: {proof_kind: 'WINNING_POST', sector_number: 2, vanilla_proof: Buffer.from('simulated')}});
  await next.until(async () => (await next.status()).pipelines.length === 1);
  next.process.kill('SIGTERM');
  await next.until(() => next.said('draining'));
  await next.until(async () => (await health(next.tcp)) === 'NOT_SERVING');
  assert.equal((await patient.GetStatus()).readiness, 'draining');
  assert.equal(await health(next.tcp, 'cuzk.v1.ProvingEngine'), 'NOT_SERVING');
  await isTold('STOPPING=1');
  await isTold('WATCHDOG=1', told.indexOf('STOPPING=1'));  // a drain is no hang
  assert.equal((await call).result.status, 'COMPLETED');
  assert.deepEqual(await next.exited, {code: 0, signal: null});
  patient.close();
});

test('a fault that takes all devices along: the process ends, no job fails, the next start proves them', async (t) => {
  const folder = temporaryFolder(t);
  const post = (number) => ({request_id: `r-${number}`, proof_kind: 'WINDOW_POST_PARTITION', sector_number: number,
                             vanilla_proof: Buffer.from('simulated')});
  let daemon = await Daemon.start(folder, {program: [simulated, '--milliseconds', '100', '--devices', '2', '--666', 'process']});
  t.after(() => daemon.end());
  let client = daemon.client();
  const before = (await client.Prove({submit: post(1)})).result;
  assert.equal(before.status, 'COMPLETED');
  const jobs = [];
  for (const number of [666, 2, 3, 4, 5, 6]) jobs.push((await client.SubmitProof(post(number))).job_id);
  // Whatever waits is told that it is the daemon that goes, not the job.
  const waits = [client.Prove({submit: post(7)}).then(({result}) => result), ...jobs.map((job_id) => client.AwaitProof({job_id}))];
  const told = await Promise.all(waits.map((call) => call.then(({status}) => status, (error) => error.code)));
  assert.equal(told[1], grpc.status.UNAVAILABLE);
  told.forEach((what) => assert.ok(what === 'COMPLETED' || what === grpc.status.UNAVAILABLE, String(what)));
  assert.deepEqual(await daemon.exited, {code: 4, signal: null});
  const line = daemon.said('a fault of one device ends all work on devices in this process');
  assert.ok(line.reason && line.uuid.startsWith('SIM-') && line.jobs_kept >= 1, daemon.words());
  assert.ok(!daemon.log.some(({msg}) => msg === 'job failed'), daemon.words());
  client.close();

  daemon = await Daemon.start(folder, {program: [simulated, '--milliseconds', '100', '--devices', '2', '--666', 'nothing']});
  client = daemon.client();
  for (const job_id of jobs) assert.equal((await client.AwaitProof({job_id, timeout_ms: 600_000})).status, 'COMPLETED');
  assert.equal((await client.Prove({submit: post(7)})).result.status, 'COMPLETED');
  assert.deepEqual((await client.AwaitProof({job_id: before.job_id})).proof, before.proof);
  assert.equal((await daemon.status()).counters.total_failed, 0);
  client.close();
});

test('a job whose cancellation was answered stays cancelled', async (t) => {
  const folder = temporaryFolder(t);
  const program = [simulated, '--milliseconds', '2000'];
  const cancelled = [];
  for (let round = 0; round < 5; ++round) {
    const daemon = await Daemon.start(folder, {program});
    const client = daemon.client();
    const jobs = await Promise.all([0, 1, 2, 3, 4, 5].map(async (i) => (await client.SubmitProof(
        {proof_kind: 'POREP_SEAL_COMMIT', sector_number: 10 * round + i, vanilla_proof: Buffer.from('simulated')})).job_id));
    // Killed at the first answer: what is answered by then must hold.
    const calls = jobs.map((job_id) => client.CancelProof({job_id}).then(() => {
      cancelled.push(job_id);
      daemon.process.kill('SIGKILL');
    }).catch((error) => assert.ok([grpc.status.UNAVAILABLE, grpc.status.CANCELLED].includes(error.code), String(error))));
    await Promise.all(calls);
    await daemon.exited;
    client.close();
  }
  assert.ok(cancelled.length >= 5);
  const daemon = await Daemon.start(folder, {program: [simulated]});
  t.after(() => daemon.end());
  const client = daemon.client();
  for (const job_id of cancelled) assert.equal((await client.AwaitProof({job_id})).status, 'CANCELLED', job_id);
  const {code, err} = run('await', '--addr', 'unix://' + daemon.socket, cancelled[0]);
  assert.deepEqual([code, err], [3, 'cuzk: the job was cancelled\n']);
  client.close();
});

test('a damaged journal: requests fail once and are kept, a database is refused and left alone', async (t) => {
  const folder = temporaryFolder(t);
  const slow = {program: [simulated, '--milliseconds', '10000']};
  const job = (number) => ({request_id: `r-${number}`, proof_kind: 'WINDOW_POST_PARTITION', sector_number: number, vanilla_proof: Buffer.from('simulated')});
  const first = await Daemon.start(folder, slow);
  let client = first.client();
  const jobs = [];
  for (let i = 0; i < 4; ++i) jobs.push((await client.SubmitProof(job(i + 1))).job_id);
  await first.kill();
  client.close();
  const payload = (job_id) => path.join(folder, 'journal/payload', job_id);
  const bytes = fs.readFileSync(payload(jobs[1]));
  const room = 8192;  // for an outcome, behind the request
  fs.truncateSync(payload(jobs[0]), 40);
  fs.writeFileSync(payload(jobs[1]), Buffer.from(bytes.map((byte, i) => (i === bytes.length - room - 9 ? byte ^ 4 : byte))));
  fs.rmSync(payload(jobs[2]));

  const fast = {program: [simulated]};
  for (let start = 0; start < 2; ++start) {
    const daemon = await Daemon.start(folder, fast);
    client = daemon.client();
    for (const [i, words] of [/truncat|broken at offset/, /digest|broken at offset/, /is missing/].entries()) {
      const result = await client.AwaitProof({job_id: jobs[i], timeout_ms: 600_000});
      assert.equal(result.status, 'FAILED');
      assert.match(result.error_message, /^INTERNAL: .*the stored request is damaged/);
      assert.match(result.error_message, words);
      assert.equal(fs.existsSync(path.join(folder, 'journal/damaged', jobs[i])), i !== 2);
    }
    assert.equal((await client.AwaitProof({job_id: jobs[3], timeout_ms: 600_000})).status, 'COMPLETED');
    assert.equal((await daemon.status()).counters.total_failed, start === 0 ? 3 : 0, 'once');
    // The client's retry is a new attempt.
    if (start === 1) assert.equal((await client.Prove({submit: job(1)})).result.status, 'COMPLETED');
    client.close();
    assert.deepEqual(await daemon.kill('SIGTERM'), {code: 0, signal: null});
  }

  const database = path.join(folder, 'journal/journal.db');
  const whole = fs.readFileSync(database);
  for (const damaged of [Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096, 7)]), whole.subarray(0, 5000), Buffer.alloc(9000, 1)]) {
    fs.writeFileSync(database, damaged);
    const daemon = await Daemon.start(folder, fast);
    assert.deepEqual(await daemon.exited, {code: 3, signal: null});
    assert.match(daemon.words(), /journal\.db/);
    assert.ok(fs.readFileSync(database).equals(damaged), 'left as it was found');
  }
  fs.writeFileSync(database, whole);
  const daemon = await Daemon.start(folder, fast);
  t.after(() => daemon.end());
  client = daemon.client();
  assert.equal((await client.AwaitProof({job_id: jobs[3]})).status, 'COMPLETED');
  client.close();
});

test('1,000 idle connections and slow clients keep nobody waiting', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated]});
  t.after(() => daemon.end());
  const crowd = [];
  t.after(() => crowd.forEach((socket) => socket.destroy()));
  const [host, port] = [daemon.tcp.slice(0, daemon.tcp.lastIndexOf(':')), Number(daemon.tcp.split(':').pop())];
  for (let i = 0; i < 400; ++i) crowd.push(await plainConnection({host, port}));
  for (let i = 0; i < 300; ++i) crowd.push(await plainConnection({path: daemon.socket}));
  for (let i = 0; i < 300; ++i) crowd.push(await plainConnection({host: '127.0.0.1', port: daemon.port}));
  // Half a request, and then nothing.
  const slow = await plainConnection({host: '127.0.0.1', port: daemon.port});
  const cutOff = new Promise((resolve) => slow.on('close', resolve));
  slow.on('data', () => {});
  slow.write('GET /status HTTP/1.1\r\nHost: x\r\nX-Slow: ');

  const client = connect(daemon.tcp);
  for (let i = 0; i < 5; ++i) assert.equal((await client.GetStatus({}, {timeoutMs: 30_000})).queues.length, 4);
  const {result} = await client.Prove({submit: {proof_kind: 'WINNING_POST', sector_number: 1, vanilla_proof: Buffer.from('simulated')}});
  assert.equal(result.status, 'COMPLETED');
  client.close();
  assert.equal((await daemon.get('/healthz')).status, 200);
  assert.equal((await daemon.get('/metrics')).status, 200);
  await cutOff;

  // 300 clients with a connection and a waiting call each.
  const clients = Array.from({length: 300}, () => daemon.client());
  const answers = await Promise.all(clients.map((c, i) => c.Prove({submit: {
    request_id: `crowd-${i}`, proof_kind: 'WINDOW_POST_PARTITION', sector_number: i, vanilla_proof: Buffer.from('simulated')}})));
  assert.ok(answers.every((answer) => answer.result.status === 'COMPLETED'));
  clients.forEach((c) => c.close());
});

test('more connections than descriptors: who is there goes on, the daemon answers again when the crowd has gone', async (t) => {
  const folder = temporaryFolder(t);
  const made = spawnSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', 'key.pem',
                                     '-out', 'cert.pem', '-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'], {cwd: folder, encoding: 'utf8'});
  assert.equal(made.status, 0, made.stderr);
  const secure = grpc.credentials.createSsl(fs.readFileSync(path.join(folder, 'cert.pem')));
  for (const tls of [false, true]) {
    const config = defaultConfig(folder, {daemon: tls ? `tls_cert = "${folder}/cert.pem"\ntls_key = "${folder}/key.pem"` : ''});
    const daemon = await Daemon.start(folder, {program: [simulated], config, wrap: ['prlimit', '--nofile=256:256']});
    t.after(() => daemon.end());
    const clientTo = {tcp: () => connect(daemon.tcp, tls ? secure : undefined), socket: () => daemon.client()};
    let number = 0;
    const works = async (client) => {
      const {result} = await client.Prove({submit: {proof_kind: 'WINNING_POST', sector_number: ++number, vanilla_proof: Buffer.from('simulated')}}, {timeoutMs: 120_000});
      assert.equal(result.status, 'COMPLETED', result.error_message);
    };
    const sidePort = async () => assert.equal((await daemon.get('/readyz')).status, 200);
    const worksFor = async (...makers) => {
      for (const make of makers) {
        const client = make();
        await works(client);
        client.close();
      }
    };
    const there = [clientTo.tcp(), clientTo.socket()];
    await Promise.all(there.map(works));
    const crowdedBy = async (where, during) => {
      const crowd = await Promise.all(Array.from({length: 400}, () => plainConnection(where)));
      await Promise.all(there.map(works));
      await during();
      crowd.forEach((socket) => socket.destroy());
      await worksFor(clientTo.tcp, clientTo.socket);
      await sidePort();
    };
    const descriptors = () => fs.readdirSync(`/proc/${daemon.process.pid}/fd`).length;
    // A crowd over TCP keeps neither programs of this machine out nor the side port.
    await crowdedBy({host: '127.0.0.1', port: Number(daemon.tcp.split(':').pop())}, async () => {
      await daemon.until(() => daemon.log.some((line) => line.level === 'warn' && line.msg.startsWith(`connections to '${daemon.tcp}' wait for room`)));
      await worksFor(clientTo.socket);
      await sidePort();
    });
    await crowdedBy({path: daemon.socket}, async () => {
      await daemon.until(() => descriptors() >= 190);
      await sidePort();
      assert.ok(descriptors() <= 230, 'there is room for files');
    });
    await crowdedBy({host: '127.0.0.1', port: daemon.port}, () => worksFor(clientTo.tcp, clientTo.socket));
    assert.equal(run('status', '-a', `unix://${daemon.socket}`).code, 0);
    there.forEach((client) => client.close());
    assert.deepEqual(await daemon.kill('SIGTERM'), {code: 0, signal: null});
    assert.ok(!fs.existsSync(daemon.socket));
  }
});
