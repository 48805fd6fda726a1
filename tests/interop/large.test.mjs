// Many large requests at a time: memory stays bounded, nobody starves.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http2 from 'node:http2';
import {test} from 'node:test';
import zlib from 'node:zlib';
import grpc from '@grpc/grpc-js';
import {Daemon, defaultConfig, simulated, temporaryFolder, wait} from './daemon.mjs';

/** Rooms for two requests at a time, no journal. */
const twoRooms = (folder) => defaultConfig(folder, {more: '[memory]\nsafety_margin = "1GiB"\n'})
    .replace(/journal = ".*"/, 'journal = ""');
/** Of this many MiB so many are allowed: a sanitizer takes several for one. */
const allowed = (mebibytes) => mebibytes * Number(process.env.CUZK_MEMORY_FACTOR ?? 1);
const peak = (daemon) => Number(/VmHWM:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${daemon.process.pid}/status`, 'utf8'))[1]) / 1024;
const job = (number, bytes = 0) => ({proof_kind: 'WINNING_POST', sector_number: number, vanilla_proof: Buffer.from('simulated'),
                                     comm_r_old: Buffer.alloc(bytes)});

test('many large requests wait for room, and all are served', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated], config: twoRooms(folder)});
  t.after(() => daemon.end());
  const before = peak(daemon);
  const clients = Array.from({length: 12}, () => daemon.client());
  const submit = async (client, i) => {
    for (;;) {
      try {
        return await client.SubmitProof(job(i, 60_000_000));
      } catch (error) {
        // On a machine that does not read two of them in half a minute.
        if (error.code !== grpc.status.RESOURCE_EXHAUSTED || !/try again$/.test(error.details)) throw error;
      }
    }
  };
  const answers = clients.map(submit);
  for (let i = 0; i < 5; ++i) assert.equal((await clients[0].GetStatus({}, {timeoutMs: 30_000})).queues.length, 4);
  for (const [i, answer] of (await Promise.all(answers)).entries())
    assert.equal((await clients[i].AwaitProof(answer)).status, 'COMPLETED');
  clients.forEach((client) => client.close());
  // 720 MB came, at most two requests of 57 MiB were there, each up to three times.
  const used = peak(daemon) - before;
  assert.ok(used < allowed(450), `${used} MiB`);
});

test('clients that begin a large request and stop do not keep the others out', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated], config: twoRooms(folder)});
  t.after(() => daemon.end());
  const before = peak(daemon);
  const sessions = [];
  t.after(() => sessions.forEach((session) => session.destroy()));
  const answers = [];
  for (let i = 0; i < 64; ++i) {
    const session = http2.connect(`http://${daemon.tcp}`);
    session.on('error', () => {});
    sessions.push(session);
    const stream = session.request({':method': 'POST', ':path': '/cuzk.v1.ProvingEngine/Prove', 'content-type': 'application/grpc', te: 'trailers'});
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(200_000_000, 1);
    stream.write(Buffer.concat([prefix, Buffer.alloc(4_000_000)]));
    stream.resume();
    let status;
    const see = (headers) => { if (headers['grpc-status']) status = {code: Number(headers['grpc-status']), text: decodeURIComponent(headers['grpc-message'] ?? '')}; };
    stream.on('response', see);
    stream.on('trailers', see);
    stream.on('error', () => {});
    stream.on('close', () => status && answers.push(status));
  }
  // The server has read what they sent: it answers a ping after what came before it.
  await Promise.all(sessions.map((session) => new Promise((resolve) => session.ping(resolve))));
  const client = daemon.client();
  // Waits for its turn behind them; the first ones do not if the server has not counted all of them yet.
  let good;
  let early;
  do {
    good = client.Prove({submit: job(1)});
    const others = async () => {
      await wait(1000);
      for (let i = 0; i < 5; ++i) await client.GetStatus({}, {timeoutMs: 30_000});  // the machine is not what it waits for
    };
    early = await Promise.race([good.then(() => true), others().then(() => false)]);
  } while (early);
  for (let i = 0; i < 10; ++i, await wait(100)) assert.equal((await client.GetStatus({}, {timeoutMs: 30_000})).queues.length, 4);
  const used = peak(daemon) - before;
  assert.ok(used < allowed(150), `${used} MiB for what 64 clients began`);
  // Those that go give up their places; of the two that stay one gives way, as somebody waits.
  sessions.slice(2).forEach((session) => session.destroy());
  assert.equal((await good).result.status, 'COMPLETED');
  await daemon.until(() => answers.length === 1);
  assert.equal(answers[0].code, grpc.status.RESOURCE_EXHAUSTED);
  assert.match(answers[0].text, /^RESOURCE: the request took too long to arrive/);
  // The other still has its room, as nobody waits any more.
  assert.equal((await client.Prove({submit: job(2)})).result.status, 'COMPLETED');
  assert.equal(answers.length, 1);
  client.close();
});

test('a compressed message is refused before it is inflated', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated], config: twoRooms(folder)});
  t.after(() => daemon.end());
  const before = peak(daemon);
  const zeros = zlib.gzipSync(Buffer.alloc(240_000_000));
  const prefix = Buffer.alloc(5);
  prefix[0] = 1;
  prefix.writeUInt32BE(zeros.length, 1);
  for (const method of ['SubmitProof', 'AwaitProof']) {
    const code = await new Promise((resolve) => {
      const session = http2.connect(`http://${daemon.tcp}`);
      session.on('error', () => {});
      const stream = session.request({':method': 'POST', ':path': `/cuzk.v1.ProvingEngine/${method}`,
                                      'content-type': 'application/grpc', 'grpc-encoding': 'gzip', te: 'trailers'});
      let status;
      const see = (headers) => { if (headers['grpc-status']) status = Number(headers['grpc-status']); };
      stream.on('response', see);
      stream.on('trailers', see);
      stream.on('error', () => {});
      stream.on('close', () => { session.destroy(); resolve(status); });
      stream.resume();
      stream.end(Buffer.concat([prefix, zeros]));
    });
    assert.equal(code, grpc.status.UNIMPLEMENTED, method);
  }
  const used = peak(daemon) - before;
  assert.ok(used < allowed(100), `${used} MiB`);
});

test('half a message, none at all, an unknown method', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated], config: twoRooms(folder)});
  t.after(() => daemon.end());
  const call = (where, body) => new Promise((resolve) => {
    const session = http2.connect(`http://${daemon.tcp}`);
    session.on('error', () => {});
    const stream = session.request({':method': 'POST', ':path': where, 'content-type': 'application/grpc', te: 'trailers'});
    let status = {};
    const see = (headers) => { if (headers['grpc-status']) status = {code: Number(headers['grpc-status']), text: decodeURIComponent(headers['grpc-message'] ?? '')}; };
    stream.on('response', see);
    stream.on('trailers', see);
    stream.on('error', () => {});
    stream.on('close', () => { session.destroy(); resolve(status); });
    stream.resume();
    stream.end(body);
  });
  for (const method of ['Prove', 'SubmitProof']) {
    const where = `/cuzk.v1.ProvingEngine/${method}`;
    assert.equal((await call(where, Buffer.from([0, 0, 0, 1, 0, 7]))).code, grpc.status.INVALID_ARGUMENT);
    assert.equal((await call(where, Buffer.alloc(0))).code, grpc.status.INVALID_ARGUMENT);
    // A field of wrong type: length-delimited bytes that end too soon.
    assert.equal((await call(where, Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f]))).code, grpc.status.INVALID_ARGUMENT);
  }
  assert.equal((await call('/cuzk.v1.ProvingEngine/Nothing', Buffer.alloc(5))).code, grpc.status.UNIMPLEMENTED);
  for (const [method, message] of [['AwaitProof', 'AwaitProofRequest'], ['CancelProof', 'CancelProofRequest'],
                                   ['GetStatus', 'GetStatusRequest'], ['PreloadSRS', 'PreloadSrsRequest']]) {
    assert.deepEqual(await call(`/cuzk.v1.ProvingEngine/${method}`, Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x7f])),
                     {code: grpc.status.INVALID_ARGUMENT, text: `INVALID_INPUT: the message is no ${message}`});
  }
  // Texts that are not UTF-8: the answer names them, and what the library says of them is ours to write, some a second.
  const broken = (method, ...bytes) => call(`/cuzk.v1.ProvingEngine/${method}`, Buffer.from([0, 0, 0, 0, bytes.length, ...bytes]));
  for (const [method, field, ...bytes] of [['Prove', 'submit.request_id', 0x0a, 3, 0x0a, 1, 0xff], ['SubmitProof', 'request_id', 0x0a, 1, 0xff],
                                           ['CancelProof', 'job_id', 0x0a, 1, 0xff]])
    assert.deepEqual(await broken(method, ...bytes),
                     {code: grpc.status.INVALID_ARGUMENT, text: `INVALID_INPUT: ${field}: is not UTF-8`});
  await Promise.all(Array.from({length: 40}, () => broken('SubmitProof', 0x0a, 1, 0xff)));
  const leftOut = () => daemon.log.find((line) => /^more of what gRPC and protobuf say/.test(line.msg));
  await daemon.until(leftOut);
  const told = leftOut();
  const written = daemon.log.filter((line) => /^protobuf: .*request_id.*UTF-8/.test(line.msg)).length;
  assert.ok(told.lines > 0 && written > 0 && written + told.lines <= 43, `${written} lines, ${told.lines} left out`);
  assert.ok(daemon.log.every((line) => !line.plain), 'every line is JSON');
  const client = daemon.client();
  assert.equal((await client.Prove({submit: job(3)})).result.status, 'COMPLETED', 'no room was lost');
  client.close();
});

test('a message that says it is larger than any is not collected for ever', async (t) => {
  const folder = temporaryFolder(t);
  const daemon = await Daemon.start(folder, {program: [simulated], config: twoRooms(folder)});
  t.after(() => daemon.end());
  const before = peak(daemon);
  const session = http2.connect(`http://${daemon.tcp}`);
  t.after(() => session.destroy());
  session.on('error', () => {});
  const stream = session.request({':method': 'POST', ':path': '/cuzk.v1.ProvingEngine/Prove', 'content-type': 'application/grpc', te: 'trailers'});
  let over = false;
  const closed = new Promise((resolve) => stream.on('close', () => { over = true; resolve(); }));
  stream.on('error', () => {});
  stream.resume();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(4_000_000_000, 1);
  stream.write(prefix);
  const piece = Buffer.alloc(1 << 20);
  let sent = 0;
  for (; !over && sent < 3000; ++sent)
    if (!stream.write(piece)) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), closed]);
  assert.ok(over, 'the call was ended');
  const used = peak(daemon) - before;
  assert.ok(used < allowed(1400), `${used} MiB after ${sent} MiB`);
  const client = daemon.client();
  assert.equal((await client.Prove({submit: job(4)})).result.status, 'COMPLETED');
  client.close();
});
