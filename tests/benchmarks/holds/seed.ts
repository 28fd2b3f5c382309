import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { nextNumber, type Person, START_MS } from '#tests/support/fixtures.ts';

const insertUsers = insertManyInto(users, 'users');
const insertAccounts = insertManyInto(twitchAccounts, 'twitch_accounts');
const insertItems = insertManyInto(items, 'items');
const insertRewards = insertManyInto(rewards, 'rewards');
const insertWatchTimes = insertManyInto(watchTimes, 'watch_times');
const insertWaiting = insertManyInto(qualifications, 'qualifications');

/** Writes rows in parts. */
export async function write<Row>(
  db: Database,
  insert: (tx: Tx, rows: readonly Row[]) => unknown,
  rows: readonly Row[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += 5000)
    await db.transaction(async (tx) => void (await insert(tx, rows.slice(from, from + 5000))));
}

/** Adds each as a verified user with a linked Twitch account. */
export async function register(db: Database, twitchIds: readonly string[]): Promise<void> {
  const people = twitchIds.map((twitchId) => ({
    id: `user-${twitchId}`,
    name: 'Demo',
    email: `${twitchId}@example.org`,
    emailVerifiedAtMs: 1,
    createdAtMs: 1,
  }));
  await write(db, insertUsers, people);
  const accounts = twitchIds.map((twitchId) => ({
    twitchId,
    userId: `user-${twitchId}`,
    login: 'demo',
    displayName: 'Demo',
    accessTokenSealed: '',
    refreshTokenSealed: '',
    scopes: [],
    tokenObtainedAtMs: 1,
    tokenLifetimeSeconds: 1,
    linkedAtMs: 1,
  }));
  await write(db, insertAccounts, accounts);
}

/** Gives a streamer this many items that can be attached. Returns their ids. */
export async function stock(
  db: Database,
  { userId: ownerId }: Person,
  botId: string,
  amount: number,
): Promise<string[]> {
  const rows = Array.from({ length: amount }, () => ({
    id: newId(START_MS - 9 * day),
    ownerId,
    botId,
    appId: 730,
    contextId: '2',
    assetId: String(5_000_000_000 + nextNumber()),
    classId: '100',
    instanceId: '0',
    marketHashName: 'Demo case',
    name: 'Demo case',
    state: 'held' as const,
    lockedUntilMs: 0,
    depositorSteamId: '1',
    receivedAtMs: START_MS - 9 * day,
  }));
  await write(db, insertItems, rows);
  return rows.map(({ id }) => id);
}

/** Everyone has watched a channel for this long; the next check is due at `nextCheckSeconds`. */
export async function letWatch(
  db: Database,
  channelId: string,
  twitchIds: readonly string[],
  { seconds, nextCheckSeconds }: { seconds: number; nextCheckSeconds: number },
): Promise<void> {
  const rows = twitchIds.map((twitchId) => ({ channelId, twitchId, seconds, nextCheckSeconds }));
  await write(db, insertWatchTimes, rows);
}

/** Everyone waits for a reward of a rule. */
export async function letWait(db: Database, ruleId: string, twitchIds: readonly string[]): Promise<void> {
  const rows = twitchIds.map((twitchId) => ({
    ruleId,
    twitchId,
    qualifiedAtMs: START_MS,
    tieBreak: twitchId,
  }));
  await write(db, insertWaiting, rows);
}

/** Everyone has a promise of a rule. */
export async function letHavePromises(
  db: Database,
  { ruleId, streamer, itemIds }: { ruleId: string; streamer: Person; itemIds: readonly string[] },
  twitchIds: readonly string[],
): Promise<void> {
  const rows = twitchIds.map((twitchId, place) => {
    const id = newId(START_MS);
    return {
      id,
      ruleId,
      ownerId: streamer.userId,
      channelId: streamer.twitchId,
      itemId: itemIds[place] ?? '',
      state: 'promised' as const,
      position: id,
      twitchId,
      userId: `user-${twitchId}`,
      promisedAtMs: START_MS,
      claimUntilMs: START_MS + 3 * day,
      createdAtMs: START_MS,
      attachedAtMs: START_MS,
    };
  });
  await write(db, insertRewards, rows);
}
