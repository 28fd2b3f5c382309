// One of several processes that write down what Twitch tells of a channel. Each line that it reads names a deed; it
// answers each with a line of its own.
import { createInterface } from 'node:readline';
import { type Database, openDatabase } from '#db/database.ts';
import { hearOfSubscriber } from '#domain/channel/hear-of-subscriber.ts';
import { recordFollows } from '#domain/channel/record-follows.ts';
import { recordStream } from '#domain/channel/record-stream.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { accrueWatchTime } from '#domain/watch-time/accrue-watch-time.ts';

/** Every verb that these processes know, with what it is given. */
const verbs = {
  recordStream,
  recordFollows,
  recordSubscribers,
  hearOfSubscriber,
  accrueWatchTime,
};
type Verbs = typeof verbs;

/** What one line asks for. `locked` false: in a transaction all the same, but without the channel's lock. */
export type Deed = {
  [V in keyof Verbs]: { verb: V; input: Parameters<Verbs[V]>[1]; nowMs: number; locked: boolean };
}[keyof Verbs];

const database = await openDatabase({ databaseUrl: process.env.DATABASE_URL, file: process.argv[2] ?? '' });
const withoutLocks: Database = { ...database, transaction: (decide) => database.transaction(decide) };
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const { verb, input, nowMs, locked } = JSON.parse(line) as Deed;
  const run = verbs[verb] as (database: Database, input: unknown, nowMs: number) => Promise<unknown>;
  await run(locked ? database : withoutLocks, input, nowMs);
  console.log('done');
}
await database.close();
