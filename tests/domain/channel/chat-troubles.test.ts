import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chatAccounts } from '#db/schema/account.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { findChatTrouble, mailChatTroubles } from '#domain/channel/mail-chat-troubles.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';
import { recordUnconnectedChats } from '#domain/channel/record-unconnected-chats.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';
import { createVault } from '#platform/vault.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';

let db: TestDatabase;
let streamer: Person;
let channelId: string;
let ruleId: string;
beforeEach(async () => {
  db = await openTestDatabase();
  await addBot(db);
  streamer = await addStreamer(db);
  channelId = streamer.twitchId;
  ruleId = await addRule(db, streamer);
});
afterEach(() => db.close());

const record = (fault: ChatFault | null, atMs: number, of = channelId) =>
  recordChatFault(db, { channelId: of, fault }, START_MS + atMs);
const mail = (atMs: number) => mailChatTroubles(db, START_MS + atMs);
const emailOf = async ({ userId }: Person) =>
  (await db.read.select().from(users).where(eq(users.id, userId)))[0]?.email;
const letters = () => db.read.select().from(mails).where(eq(mails.template, 'chatTrouble'));

test('A trouble that lasts a day is mailed once, whichever reason it began with', async () => {
  await record('restricted', 0);
  await record('banned', hour);
  expect([await mail(day - 1), await mail(day), await mail(day), await mail(3 * day)]).toEqual([0, 1, 0, 0]);
  const { displayName } = (await db.read.select().from(channels).where(eq(channels.id, channelId)))[0]!;
  expect(await letters()).toMatchObject([
    {
      recipient: await emailOf(streamer),
      values: { channel: displayName, channelId, fault: 'banned', sinceMs: String(START_MS) },
    },
  ]);
});

test('A trouble that ended is not mailed, and the next one is a day later', async () => {
  await record('banned', 0);
  await record(null, day - minute);
  await record('banned', day - minute + 1);
  expect([await mail(day), await mail(2 * day - minute), await mail(2 * day)]).toEqual([0, 0, 1]);
  await record(null, 2 * day);
  await record('tooFast', 2 * day);
  expect([await mail(3 * day - 1), await mail(3 * day)]).toEqual([0, 1]);
});

test('A mail that waits is dropped once the trouble has ended, and tells the present one otherwise', async () => {
  await record('banned', 0);
  await mail(day);
  const prepared = async () => {
    const [letter] = await letters();
    return prepareMail(db.read, letter!, START_MS + day, START_MS + day);
  };
  await record('restricted', day);
  const sinceMs = String(START_MS);
  expect(await prepared()).toMatchObject({ due: true, values: { fault: 'restricted', sinceMs } });
  await record(null, day);
  expect(await prepared()).toEqual({ due: false, reason: 'outdated' });
});

test('Each troubled channel is told of its own chat, others and unverified people of none', async () => {
  const [well, other, unverified] = [await addStreamer(db), await addStreamer(db), await addStreamer(db)];
  for (const one of [well, other, unverified]) {
    await addRule(db, one);
    await addRule(db, one);
  }
  await db.transaction((tx) =>
    tx.update(users).set({ emailVerifiedAtMs: null }).where(eq(users.id, unverified.userId)),
  );
  await record('banned', 0);
  await record('restricted', 0, other.twitchId);
  await record('banned', 0, unverified.twitchId);
  expect(await mail(day)).toBe(2);
  const notified = (await letters()).map(({ recipient, values }) => [recipient, values.fault]);
  expect(notified.sort()).toEqual(
    [
      [await emailOf(streamer), 'banned'],
      [await emailOf(other), 'restricted'],
    ].sort(),
  );
});

test('Nobody is told of a chat that the bot has left, because no rule is open there', async () => {
  await record('banned', 0);
  expect(await findChatTrouble(db.read, channelId)).toEqual({ fault: 'banned', sinceMs: START_MS });
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await findChatTrouble(db.read, channelId)).toBeNull();
  expect(await mail(day)).toBe(0);
});

test('A trouble that an older version recorded begins when it is first seen', async () => {
  await record('banned', 0);
  await db.transaction((tx) =>
    tx.update(channels).set({ chatFaultSinceMs: null }).where(eq(channels.id, channelId)),
  );
  expect([await mail(3 * day), await mail(4 * day - 1), await mail(4 * day)]).toEqual([0, 0, 1]);
});

describe('While none of the chat accounts is connected', () => {
  const logins = ['Our_Demo_Bot', 'our_other_bot'];
  const look = (atMs: number, named: readonly string[] = logins) =>
    recordUnconnectedChats(db, { logins: named }, START_MS + atMs);
  const connect = (login: string, twitchId: string) =>
    connectChatAccount(db, {
      vault: createVault(randomBytes(32).toString('base64')),
      twitchId,
      login,
      grant: {
        accessToken: 'access',
        refreshToken: 'refresh',
        scopes: ['chat:read', 'chat:edit'],
        obtainedAtMs: START_MS,
        lifetimeSeconds: 3600,
      },
    });
  const breakAll = () => db.transaction((tx) => tx.update(chatAccounts).set({ broken: true }));
  const troubleOf = (of = channelId) => findChatTrouble(db.read, of);

  test('each channel with an open rule has trouble from the first look on, and is mailed after a day', async () => {
    const [banned, closed] = [await addStreamer(db), await addStreamer(db)];
    await addRule(db, banned);
    await record('banned', 0, banned.twitchId);
    await connect('somebody_else', '900');
    expect([await look(hour), await look(2 * hour)]).toEqual([1, 0]);
    expect(await troubleOf()).toEqual({ fault: 'notConnected', sinceMs: START_MS + hour });
    expect(await troubleOf(banned.twitchId)).toMatchObject({ fault: 'banned' });
    expect(await troubleOf(closed.twitchId)).toBeNull();
    expect(await mail(day + hour - 1)).toBe(1);
    expect(await mail(day + hour)).toBe(1);
    expect((await letters()).map(({ values }) => values.fault).sort()).toEqual(['banned', 'notConnected']);
  });

  test('the trouble lasts until one of them is, of a channel without open rules until the next look', async () => {
    await connect('our_demo_bot', '901');
    expect(await look(0)).toBe(0);
    await breakAll();
    expect(await look(minute)).toBe(1);
    await closeRule(db, { ruleId, userId: streamer.userId }, START_MS + hour);
    await connect('our_other_bot', '902');
    expect(await look(2 * hour)).toBe(0);
    await addRule(db, streamer);
    expect(await look(2 * hour + minute)).toBe(1);
    expect(await troubleOf()).toBeNull();
    await record('banned', 3 * hour);
    expect(await look(4 * hour)).toBe(0);
    expect(await troubleOf()).toMatchObject({ fault: 'banned' });
  });

  test('nothing is wrong where the operator named none', async () => {
    expect(await look(0, [])).toBe(0);
    expect(await troubleOf()).toBeNull();
  });
});
