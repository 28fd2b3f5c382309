// One of several processes racing on the same databases. Each line it reads is an order, answered with one line. A
// process has one dialect, so all database access happens in these.
import { createInterface } from 'node:readline';
import { type Database, openDatabase } from '#db/database.ts';
import { sealColumnsWith } from '#db/engine/sealed-text.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { handleSubscriptionEvent } from '#domain/audience/handle-subscription-event.ts';
import type { ChattersReading } from '#domain/audience/take-intervals.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';
import { leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { evaluateViewer } from '#domain/rule/evaluate-viewer.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { createVault } from '#platform/vault.ts';
import {
  addStackOwners,
  announceList,
  claimAll,
  claimTwice,
  depositStacks,
  dropUniqueIndexes,
  enterRaffle,
  findings,
  makeWorld,
  promiseMany,
  raffleFindings,
  takeRafflesOn,
} from '#tests/races/race-world.ts';
import { openWithoutLocks } from '#tests/races/without-locks.ts';

export interface StorePlace {
  databaseUrl?: string;
  file: string;
}

/** With everything that separates processes; with transactions, but without their locks; or without both. */
export type Guard = 'guarded' | 'unlocked' | 'unguarded';

/** A reading as it comes between processes. */
type ListedReading = Omit<ChattersReading, 'twitchIds'> & { twitchIds: string[] };

/** Facts from Twitch about a channel, and how each is recorded. */
const writers = {
  recordStream,

  recordSubscribers,
  receiveSubscriber: handleSubscriptionEvent,
  accrueWatchTime: (db: Database, reading: ListedReading, nowMs: number) =>
    accrueWatchTime(db, { ...reading, twitchIds: new Set(reading.twitchIds) }, nowMs),
};
type Writers = typeof writers;
export type Deed = {
  [V in keyof Writers]: { write: V; input: Parameters<Writers[V]>[1]; nowMs: number };
}[keyof Writers];

const vault = createVault(Buffer.alloc(32, 7).toString('base64'));
// Also for the stores that are opened without their locks.
sealColumnsWith(vault);

const openings: Record<Guard, (place: StorePlace) => Promise<Database>> = {
  guarded: (place) => openDatabase(place, vault),
  unlocked: async (place) => {
    const db = await openDatabase(place, vault);
    return { ...db, transaction: (decide) => db.transaction((tx) => decide(tx as never)) };
  },
  unguarded: openWithoutLocks,
};

async function evaluate(db: Database, { viewers, nowMs }: { viewers: string[]; nowMs: number }) {
  let refused = 0;
  for (const twitchId of viewers)
    await db.transaction((tx) => evaluateViewer(tx, { twitchId }, nowMs)).catch(() => refused++);
  return { refused };
}

async function redeem(
  db: Database,
  { viewers, nowMs, twitchRewardId }: { viewers: string[]; nowMs: number; twitchRewardId: string },
) {
  const reported = { twitchRewardId, redeemedAtMs: nowMs, status: 'UNFULFILLED' } as const;
  let first = 0;
  for (const twitchId of viewers) {
    const id = `redemption-of-${twitchId}`;
    const recorded = await recordRedemption(db, { ...reported, id, twitchId }, nowMs);
    if (recorded.ok && recorded.first) first++;
  }
  let leased = 0;
  for (let taken = 1; taken > 0; leased += taken) taken = (await leaseRedemptions(db, 7, Date.now())).length;
  return { first, leased };
}

const makePushKeys = (db: Database, { publicKey }: { publicKey: string }) =>
  ensurePushKeys(db, () => ({ publicKey, privateKey: `private of ${publicKey}` }), 0);

async function write(db: Database, { write: verb, input, nowMs }: Deed) {
  const run = writers[verb] as (db: Database, input: unknown, nowMs: number) => Promise<unknown>;
  await run(db, input, nowMs);
  return {};
}

const verbs = {
  /** Opens the database in advance, so that the raced actions start at the same time. */
  open: async () => ({}),
  makeWorld,
  findings,
  claimTwice,
  promiseMany,
  claimAll,
  addStackOwners,
  depositStacks,
  enterRaffle,
  announceList,
  takeRafflesOn,
  raffleFindings,
  evaluate,
  redeem,
  makePushKeys,
  write,
} as const;
export type Verb = keyof typeof verbs | 'migrate' | 'dropUniqueIndexes' | 'close';

export interface Order {
  verb: Verb;
  place: StorePlace;
  guard: Guard;
  facts: object;
}

const opened = new Map<string, Promise<Database>>();

async function obey({ verb, place, guard, facts }: Order): Promise<object> {
  const prefix = `${place.databaseUrl} ${place.file} `;
  if (verb === 'migrate') await migrateDatabase(place, vault);
  else if (verb === 'dropUniqueIndexes') await dropUniqueIndexes(place);
  else if (verb === 'close') {
    for (const [name, db] of opened)
      if (name.startsWith(prefix) && opened.delete(name)) await (await db).close();
  } else {
    const db = opened.get(prefix + guard) ?? openings[guard](place);
    opened.set(prefix + guard, db);
    return verbs[verb](await db, facts as never);
  }
  return {};
}

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const answer = await obey(JSON.parse(line)).catch((error: unknown) => ({ failed: String(error) }));
  console.log(JSON.stringify(answer));
}
process.exit(0);
