// A process that makes the claims of a file one after another, or replays what claims sent, which is in the file then. It
// gets their places in the file, and answers when done.
import { readFileSync } from 'node:fs';
import { openPostgres } from '#db/database.ts';
import { type Claim, claimAll } from '#tests/benchmarks/claims.ts';
import { connect } from '#tests/benchmarks/postgres/databases.ts';
import { type Call, replayer } from '#tests/benchmarks/postgres/replay.ts';

interface Claimer {
  make(places: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

const [file = '', side] = process.argv.slice(2);
const url = process.env.DATABASE_URL ?? '';
const work: unknown = JSON.parse(readFileSync(file, 'utf8'));
const pick = <T>(all: readonly T[], places: readonly number[]): T[] =>
  places.flatMap((place) => all[place] ?? []);

async function domain(): Promise<Claimer> {
  const db = await openPostgres(url);
  return {
    make: (places) => claimAll(db, pick(work as Claim[], places)),
    close: () => db.close(),
  };
}

async function raw(): Promise<Claimer> {
  const client = await connect(url);
  const replay = replayer(client);
  return { make: (places) => replay(pick(work as Call[][], places).flat()), close: () => client.end() };
}

const claimer = await (side === 'raw' ? raw() : domain());
process.on('message', (places: number[]) => {
  claimer.make(places).then(
    () => process.send?.(''),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.on('disconnect', () => void claimer.close());
