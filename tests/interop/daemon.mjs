// A daemon under test and clients that are not ours.
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {gunzipSync} from 'node:zlib';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const env = (name) => {
  if (!process.env[name]) throw new Error(`${name} is not set: run this through run.sh`);
  return process.env[name];
};
export const cuzk = env('CUZK');
export const source = env('CUZK_SOURCE');
export const params = env('CUZK_PARAMS');
export const simulated = env('CUZK_SIMULATED');

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A folder that is removed when the tests of the file are over. */
export function temporaryFolder(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cuzk-interop-'));
  t.after(() => fs.rmSync(folder, {recursive: true, force: true}));
  return folder;
}

const definition = protoLoader.loadSync(path.join(source, 'proto/cuzk/v1/proving.proto'),
                                        {keepCase: true, longs: Number, enums: String, defaults: true});
const {ProvingEngine} = grpc.loadPackageDefinition(definition).cuzk.v1;

/** A client of the API; every call gives a promise with `cancel`. */
export function connect(address, credentials = grpc.credentials.createInsecure()) {
  const stub = new ProvingEngine(address, credentials,
                                 {'grpc.max_send_message_length': -1, 'grpc.max_receive_message_length': -1,
                                  // connections of their own: one client's death must not touch another
                                  'grpc.use_local_subchannel_pool': 1});
  const client = {close: () => stub.close()};
  for (const method of ['SubmitProof', 'AwaitProof', 'Prove', 'CancelProof', 'GetStatus', 'GetMetrics', 'PreloadSRS',
                        'EvictSRS']) {
    client[method] = (request = {}, {timeoutMs, metadata} = {}) => {
      let call;
      // While `run` blocks this process, nobody here answers the pings of the server, which drops the connection of a
      // client that does not for long. What only asks is asked again.
      const again = (error) => /^Get/.test(method) && error.code === grpc.status.UNAVAILABLE && /dropped/.test(error.details);
      const promise = new Promise((resolve, reject) => {
        const ask = (left) => {
          const options = timeoutMs ? {deadline: Date.now() + timeoutMs} : {};
          call = stub[method](request, metadata ?? new grpc.Metadata(), options, (error, response) => {
            if (!error) return resolve(response);
            return left > 0 && again(error) ? ask(left - 1) : reject(error);
          });
        };
        ask(2);
      });
      promise.cancel = () => call.cancel();
      return promise;
    };
  }
  return client;
}

/** What the standard health service says of a service ('': of the server). */
export function health(address, service = '') {
  const proto = protoLoader.loadSync(path.join(source, 'tests/interop/health.proto'), {enums: String, defaults: true});
  const {Health} = grpc.loadPackageDefinition(proto).grpc.health.v1;
  const stub = new Health(address, grpc.credentials.createInsecure());
  return new Promise((resolve, reject) => stub.Check({service}, (error, answer) => {
    stub.close();
    return error ? reject(error) : resolve(answer.status);
  }));
}

/** Starts `cuzk serve` (or another program that speaks like it) and waits until it is ready. */
export class Daemon {
  static async start(folder, {config = '', program = [cuzk, 'serve'], environment = {}, wrap = []} = {}) {
    const daemon = new Daemon();
    daemon.folder = folder;
    daemon.socket = path.join(folder, 'cuzk.sock');
    daemon.log = [];
    const file = path.join(folder, 'cuzk.toml');
    fs.writeFileSync(file, config || defaultConfig(folder));
    const command = [...wrap, ...program, '--config', file];
    daemon.process = spawn(command[0], command.slice(1),
                           {stdio: ['ignore', 'inherit', 'pipe'], env: {...process.env, ...environment}});
    daemon.exited = new Promise((resolve) => daemon.process.on('exit', (code, signal) => {
      daemon.over = true;
      resolve({code, signal});
    }));
    let rest = '';
    daemon.process.stderr.on('data', (data) => {
      rest += data;
      for (let end; (end = rest.indexOf('\n')) >= 0; rest = rest.slice(end + 1)) {
        const line = rest.slice(0, end);
        try {
          daemon.log.push(JSON.parse(line));
        } catch {
          daemon.log.push({msg: line, plain: true});
        }
      }
    });
    await daemon.until(() => daemon.over || daemon.said('ready'));
    return daemon;
  }

  said(message) {
    return this.log.find((line) => line.msg === message);
  }
  /** Until the condition is there; the limit is for a daemon that hangs, not for a machine that is busy. */
  async until(condition, ms = 300_000) {
    for (const end = Date.now() + ms; !(await condition()); await wait(20)) {
      if (Date.now() > end) throw new Error('waited in vain; the daemon said:\n' + this.words());
    }
  }
  words() {
    return this.log.map((line) => JSON.stringify(line)).join('\n');
  }
  get tcp() {
    return this.log.filter((line) => line.msg === 'listening').map((line) => line.address)
        .find((address) => !address.startsWith('unix:'));
  }
  get port() {
    return this.said('status port').port;
  }
  client() {
    return connect('unix://' + this.socket);
  }
  /** From the side port. A machine that is too busy for an answer is asked again, a daemon that has ended is not. */
  async get(where, options) {
    for (let left = 3;; --left) {
      try {
        // A connection of its own: while a test waits for a command, nobody here sees the daemon close an idle one.
        const response = await fetch(`http://127.0.0.1:${this.port}${where}`,
                                     {headers: {connection: 'close'}, signal: AbortSignal.timeout(60_000), ...options});
        return {status: response.status, headers: response.headers, text: await response.text()};
      } catch (error) {
        if (left === 0 || this.over) throw error;
        console.log(`${where} is asked for again after: ${error.cause ?? error}`);
        await wait(500);
      }
    }
  }
  async status() {
    return JSON.parse((await this.get('/status')).text);
  }
  kill(signal = 'SIGKILL') {
    this.process.kill(signal);
    return this.exited;
  }
  /** For the end of a test, whatever it has done. */
  async end() {
    if (!this.over) await this.kill();
  }
}

export function defaultConfig(folder, {daemon = '', more = ''} = {}) {
  return `[daemon]
listen = ["unix://${folder}/cuzk.sock", "127.0.0.1:0"]
status_listen = "127.0.0.1:0"
journal = "${folder}/journal"
${daemon}
[srs]
param_cache = "${params}"
[logging]
format = "json"
${more}`;
}

/** Runs the command to its end. */
export function run(...args) {
  const {status, stdout, stderr} = spawnSync(cuzk, args, {encoding: 'utf8', maxBuffer: 1 << 26});
  return {code: status, out: stdout, err: stderr};
}

/** The really sealed 2 KiB sector of the test data, as Curio hands it over. */
export const c1File = path.join(source, 'tests/data/porep/2k-v1_1.c1.json.gz');
const sector = JSON.parse(fs.readFileSync(path.join(source, 'tests/data/porep/2k-v1_1.json')));
const phase1 = gunzipSync(fs.readFileSync(c1File));

/** The wrapper, with so many bytes of white space between its members. */
export function wrapper(padding = 0) {
  return Buffer.concat([Buffer.from(`{"SectorNum":${sector.sector},`), Buffer.alloc(padding, ' '),
                        Buffer.from(`"Phase1Out":"${phase1.toString('base64')}","SectorSize":2048}`)]);
}

export function porep(requestId, {padding = 0, ...more} = {}) {
  return {request_id: requestId, proof_kind: 'POREP_SEAL_COMMIT', sector_size: 2048,
          registered_proof: sector.registered_seal_proof, sector_number: sector.sector, miner_id: sector.miner,
          vanilla_proof: wrapper(padding), ...more};
}

/** The request of a PoSt in tests/data/post. */
export function post(name, proof_kind, more = {}) {
  const data = path.join(source, 'tests/data/post');
  const known = JSON.parse(fs.readFileSync(path.join(data, `${name}.json`)));
  return {request_id: `${name}-${known.miner}-0`, proof_kind, sector_size: known.sector_size,
          registered_proof: known.registered_post_proof,
          vanilla_proofs: known.vanilla.map(({file}) => gunzipSync(fs.readFileSync(path.join(data, file)))),
          miner_id: known.miner, randomness: Buffer.from(known.randomness, 'hex'), ...more};
}

/** Whether bytes are a proof of that sector, by the command's verifier. */
export function verifies(folder, proof) {
  const file = path.join(folder, 'x.proof');
  fs.writeFileSync(file, proof);
  return run('verify', '--c1', c1File, '--params', params, '--proof', file, '--no-progress').code === 0;
}

/** A plain connection, once it is there. */
export function plainConnection(where) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(where, () => resolve(socket));
    socket.on('error', reject);
  });
}
