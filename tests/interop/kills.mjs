// kill -9 while real proofs are in flight: what was accepted must come out. For faults.test.mjs (a few kills) and
// kills.test.mjs (many, by hand).
import assert from 'node:assert/strict';
import grpc from '@grpc/grpc-js';
import {Daemon, defaultConfig, porep, verifies, wait} from './daemon.mjs';

/**
 * Starts a daemon on `folder` again and again and kills it after `moment(kill)` milliseconds; while it lives, keeps up to
 * `inFlight` of at most `jobs` 2 KiB jobs going. Then one daemon more, which is left running: every job that was ever
 * accepted completes, every proof verifies, and what was once reported is what is there.
 */
export async function killWithRealProofs(folder, {kills, jobs, inFlight, moment}) {
  const accepted = new Map();  // job id -> proof as first told, or null
  const stages = new Map();    // what a partition was doing when it was killed -> how often
  let told = 0;
  const watch = async (client, job_id) => {
    try {
      const result = await client.AwaitProof({job_id});
      assert.equal(result.status, 'COMPLETED', result.error_message);
      ++told;
      accepted.set(job_id, result.proof);
    } catch (error) {
      if (error.code !== grpc.status.UNAVAILABLE && error.code !== grpc.status.CANCELLED) throw error;
    }
  };
  for (let kill = 0; kill < kills; ++kill) {
    const daemon = await Daemon.start(folder);
    assert.ok(daemon.said('ready'), daemon.words());
    const client = daemon.client();
    const waiting = [];
    const keepGoing = async () => {
      const unfinished = [...accepted].filter(([, proof]) => proof === null).length;
      for (let i = unfinished; i < inFlight && accepted.size < jobs; ++i) {
        const {job_id} = await client.SubmitProof(porep(`porep-1234-${accepted.size}`));
        accepted.set(job_id, null);
        waiting.push(watch(client, job_id));
      }
    };
    for (const [job_id, proof] of accepted) if (proof === null) waiting.push(watch(client, job_id));
    await keepGoing();
    await wait(moment(kill));
    for (const job of (await daemon.status()).pipelines)
      for (const {state} of job.partitions.length ? job.partitions : [{state: job.state}]) stages.set(state, (stages.get(state) ?? 0) + 1);
    await daemon.kill();
    await Promise.all(waiting);
    client.close();
  }
  // The caller's last proof may take minutes on a busy machine, and a daemon that ends waits for it.
  const daemon = await Daemon.start(folder, {config: defaultConfig(folder, {daemon: 'drain_timeout = "10m"'})});
  const client = daemon.client();
  for (const [job_id, proof] of accepted) {
    const result = await client.AwaitProof({job_id, timeout_ms: 900_000});
    assert.equal(result.status, 'COMPLETED', `${job_id}: ${result.error_message}`);
    assert.ok(verifies(folder, result.proof), job_id);
    if (proof !== null) assert.deepEqual(result.proof, proof);
  }
  assert.equal((await daemon.status()).counters.total_failed, 0);
  return {daemon, client, jobs: [...accepted.keys()], told, stages: Object.fromEntries(stages)};
}
