// By hand (label `long`): 20 kills at random moments with real proofs in flight.
import {test} from 'node:test';
import {temporaryFolder} from './daemon.mjs';
import {killWithRealProofs} from './kills.mjs';

test('kill -9 with real proofs, 20 times', async (t) => {
  const seed = Number(process.env.CUZK_SEED ?? Date.now() % 1_000_000);
  let state = seed;
  const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  const longest = Number(process.env.CUZK_KILL_MS ?? 12_000);
  const {daemon, client, jobs, told, stages} = await killWithRealProofs(
      temporaryFolder(t), {kills: 20, jobs: 12, inFlight: 3, moment: () => random(longest)});
  t.after(() => daemon.end());
  client.close();
  console.log(`seed ${seed}: ${jobs.length} jobs accepted, ${told} reported before the last kill, all verify; killed in`, stages);
});
