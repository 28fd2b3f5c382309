// The page of items in custody through the real web process, for an owner with 3,000 items of 50 kinds: on a database
// with a million past rewards, compared with one with ten thousand. `ratio` is that of CPU.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { openSqlite } from '#db/database.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { compare } from '#tests/benchmarks/measure.ts';
import { startPageWeb } from '#tests/benchmarks/page-web.ts';
import { type Age, copyOfAged } from '#tests/benchmarks/seed-history.ts';

const WARM_UP = 50;
const ROUNDS = 15;
const BLOCK = 10;

export async function run(): Promise<Record<string, number>> {
  for (const root of ['.', 'tests/benchmarks/trivial'])
    execFileSync('node_modules/.bin/react-router', ['build', root], { stdio: 'ignore' });
  const [old, young] = [await openOwner(1_000_000), await openOwner(10_000)];
  for (const { load } of [old, young]) await load(WARM_UP);
  const found = await compare({
    rounds: ROUNDS,
    subject: () => old.load(BLOCK),
    reference: () => young.load(BLOCK),
  });
  for (const { close } of [old, young]) close();
  return found;
}

/** The page of that owner, on a database of that age. */
async function openOwner(rewards: Age) {
  const { file, folder, present } = await copyOfAged(rewards);
  const db = await openSqlite(file);
  const { userId } = present.owner;
  const { token } = await openSession(db, { userId, userAgent: 'bench' }, Date.now());
  await db.close();
  const web = await startPageWeb(folder);
  return {
    load: (times: number) => web.costOf({ app: 'product', path: '/items/custody', token }, times),
    close() {
      web.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
