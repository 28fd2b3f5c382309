import { and, asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { pushDevices, pushEvents, pushes } from '#db/schema/push.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { endSession, signOutElsewhere } from '#domain/identity/session/end-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { rotateSession } from '#domain/identity/session/rotate-session.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { leasePushes, listDueHosts, nextPushDueMs, PUSH_LEASE_MS } from '#domain/push/lease-pushes.ts';
import { prunePushes } from '#domain/push/prune-pushes.ts';
import { listPushDevices, renewPushDevice, setPushEvents, turnPushOn } from '#domain/push/push-devices.ts';
import { ensurePushKeys, findPublicPushKey } from '#domain/push/push-keys.ts';
import { type PushToQueue, queuePushes } from '#domain/push/queue-pushes.ts';
import { reportPushes } from '#domain/push/report-push.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { makePushSubscription } from '#tests/support/push-subscription.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const SYSTEM_MS = Date.UTC(2030, 0, 1);

async function turnOn(
  userId: string,
  host = 'push.example',
  {
    sessionHash = null,
    browserHash = null,
  }: { sessionHash?: string | null; browserHash?: string | null } = {},
  atMs = START_MS,
) {
  const subscription = makePushSubscription(`https://${host}/${atMs}/${Math.random()}`);
  const browser = { subscription, publicKey: 'public', sessionHash, browserHash, userAgent: '' };
  return (await turnPushOn(db, { userId, ...browser }, atMs)).deviceId;
}
const queue = (queued: PushToQueue[], nowMs = START_MS) =>
  db.transaction((tx) => queuePushes(tx, queued, nowMs));
const lease = (host: string, nowMs = START_MS, systemMs = SYSTEM_MS) =>
  leasePushes(db, { host, limit: 10 }, nowMs, systemMs);
const rows = () => db.read.select().from(pushes).orderBy(asc(pushes.createdAtMs), asc(pushes.id));
const about = (userId: string, rewardId: string, facts: Partial<PushToQueue> = {}): PushToQueue => ({
  userId,
  rewardId,
  subjectId: rewardId,
  event: 'promised',
  ...facts,
});

test('News of several accounts are queued for the devices that want them, each once', async () => {
  const [one, other, without] = [await addPerson(db), await addPerson(db), await addPerson(db)];
  const [phone, laptop] = [await turnOn(one.userId), await turnOn(one.userId, 'other.example')];
  const tablet = await turnOn(other.userId);
  await setPushEvents(db, {
    userId: one.userId,
    deviceId: laptop,
    events: ['reminder'],
    offered: pushEvents,
  });
  const notices = [
    about(one.userId, 'a', { endsAtMs: START_MS + hour }),
    about(one.userId, 'a', { event: 'reminder', runAtMs: START_MS + minute }),
    about(other.userId, 'b'),
    about(without.userId, 'c'),
  ];
  await queue(notices);
  await queue(notices);
  const queued = (await rows()).map(({ deviceId, event, host, rewardId }) => [
    deviceId,
    event,
    host,
    rewardId,
  ]);
  expect(queued.sort()).toEqual(
    [
      [phone, 'promised', 'push.example', 'a'],
      [phone, 'reminder', 'push.example', 'a'],
      [laptop, 'reminder', 'other.example', 'a'],
      [tablet, 'promised', 'push.example', 'b'],
    ].sort(),
  );
  const ends = Object.fromEntries(
    (await rows()).map(({ event, rewardId, expiresAtMs }) => [event + rewardId, expiresAtMs]),
  );
  expect(ends).toEqual({
    promiseda: START_MS + hour,
    remindera: START_MS + minute + day,
    promisedb: START_MS + 28 * day,
  });
});

test('What is due is leased by push service, each by one process at a time', async () => {
  const { userId } = await addPerson(db);
  await turnOn(userId, 'push.example');
  await turnOn(userId, 'other.example');
  await queue([
    about(userId, 'a', { runAtMs: START_MS + minute }),
    about(userId, 'b', { event: 'reminder' }),
  ]);
  // The one that was queued later has waited longest.
  await db.transaction((tx) =>
    tx
      .update(pushes)
      .set({ runAtMs: START_MS - 1 })
      .where(and(eq(pushes.host, 'push.example'), eq(pushes.event, 'reminder'))),
  );
  const hosts = (except: string[] = [], nowMs = START_MS) =>
    listDueHosts(db.read, { except, limit: 5 }, nowMs, SYSTEM_MS);
  expect(await hosts()).toEqual(['push.example', 'other.example']);
  expect(await hosts(['push.example'])).toEqual(['other.example']);
  const [leased, ...more] = await lease('push.example');
  expect([leased?.rewardId, leased?.device.userId, more]).toEqual(['b', userId, []]);
  expect([await lease('push.example'), await hosts()]).toEqual([[], ['other.example']]);
  expect(await lease('push.example', START_MS, SYSTEM_MS + PUSH_LEASE_MS)).toHaveLength(1);
  expect(await nextPushDueMs(db.read, START_MS, SYSTEM_MS)).toBe(-1);
  expect(await lease('push.example', START_MS + minute, SYSTEM_MS + PUSH_LEASE_MS)).toHaveLength(1);
});

test('The push services of browsers’ makers come before those that anybody can run', async () => {
  const hosts = ['push.example', 'notapple.example', 'web.push.apple.com', 'fcm.googleapis.com'];
  for (const [index, host] of hosts.entries()) {
    const { userId } = await addPerson(db);
    await turnOn(userId, host);
    await queue([about(userId, `r${index}`)], START_MS + index);
  }
  const list = (except: string[]) =>
    listDueHosts(db.read, { except, limit: 3 }, START_MS + minute, SYSTEM_MS);
  expect(await list([])).toEqual(['web.push.apple.com', 'fcm.googleapis.com', 'push.example']);
  expect(await list(['push.example'])).toEqual([
    'web.push.apple.com',
    'fcm.googleapis.com',
    'notapple.example',
  ]);
});

test('A promise’s notice is tried beyond the end that was known, since that can move, and another is given up', async () => {
  const { userId } = await addPerson(db);
  await turnOn(userId);
  const endsAtMs = START_MS + minute / 6;
  await queue([about(userId, 'a', { endsAtMs }), about(userId, 'b', { event: 'offerSent', endsAtMs })]);
  const reports = (await lease('push.example')).map((push) => ({
    push,
    result: { kind: 'later', error: 'answered 500' } as const,
  }));
  await reportPushes(db, reports, START_MS, () => 0);
  expect((await rows()).map(({ rewardId, outcome }) => [rewardId, outcome])).toEqual([
    ['a', null],
    ['b', 'givenUp'],
  ]);
});

test('Each notice of a batch is reported for itself, and one that another process has since is left to it', async () => {
  const { userId } = await addPerson(db);
  const [gone, fine] = [await turnOn(userId), await turnOn(userId)];
  await queue([about(userId, 'a'), about(userId, 'b'), about(userId, 'c', { runAtMs: START_MS + day })]);
  const leased = await lease('push.example');
  expect(leased).toHaveLength(4);
  const find = (deviceId: string, rewardId: string) =>
    leased.find((push) => push.deviceId === deviceId && push.rewardId === rewardId)!;
  const stale = { ...find(fine, 'b'), leaseUntilMs: 1 };
  const reports = [
    { push: find(gone, 'a'), result: { kind: 'ended', ending: 'gone', error: 'answered 410' } },
    { push: find(fine, 'a'), result: { kind: 'sent' } },
    { push: stale, result: { kind: 'sent' } },
  ] as const;
  await reportPushes(db, reports, START_MS, () => 0);
  const ends = (await rows()).map(({ deviceId, rewardId, outcome }) => [
    deviceId === gone,
    rewardId,
    outcome,
  ]);
  expect(ends.sort()).toEqual(
    [
      [true, 'a', 'refused'],
      [true, 'b', 'dropped'],
      [true, 'c', 'dropped'],
      [false, 'a', 'sent'],
      [false, 'b', null],
      [false, 'c', null],
    ].sort(),
  );
  const [ended] = await db.read.select().from(pushDevices).where(eq(pushDevices.id, gone));
  expect(ended).toMatchObject({ subscription: '', ending: 'gone', endedAtMs: START_MS, lastSentAtMs: null });
  // An ended device gets nothing new.
  await queue([about(userId, 'd')]);
  expect((await rows()).filter(({ rewardId }) => rewardId === 'd').map(({ deviceId }) => deviceId)).toEqual([
    fine,
  ]);
});

test.each([
  ['gone', 'answered 410'],
  ['otherKey', 'it subscribed with another key'],
] as const)(
  'A device that was renewed since is not ended by what became of its old endpoint: %s',
  async (ending, error) => {
    const { userId } = await addPerson(db);
    const from = makePushSubscription('https://push.example/old');
    const browser = { userId, publicKey: 'public', sessionHash: null, browserHash: null, userAgent: '' };
    await turnPushOn(db, { ...browser, subscription: from }, START_MS);
    await queue([about(userId, 'a'), about(userId, 'b', { runAtMs: START_MS + day })]);
    const [push] = await lease('push.example');
    const subscription = makePushSubscription('https://push.example/new');
    await renewPushDevice(db, { userId, from: from.endpoint, subscription, publicKey: 'public' }, START_MS);
    await reportPushes(db, [{ push: push!, result: { kind: 'ended', ending, error } }], START_MS);
    const [device] = await db.read.select().from(pushDevices);
    expect(device).toMatchObject({ endedAtMs: null, subscription: JSON.stringify(subscription) });
    expect((await rows()).map(({ rewardId, outcome }) => [rewardId, outcome])).toEqual([
      ['a', 'refused'],
      ['b', null],
    ]);
  },
);

test('A device is not ended by a report of a notice that another process has since', async () => {
  const { userId } = await addPerson(db);
  await turnOn(userId);
  await queue([about(userId, 'a')]);
  const [push] = await lease('push.example');
  const stale = { ...push!, leaseUntilMs: 1 };
  const result = { kind: 'ended', ending: 'gone', error: 'answered 410' } as const;
  await reportPushes(db, [{ push: stale, result }], START_MS);
  expect(await db.read.select().from(pushDevices)).toMatchObject([{ endedAtMs: null }]);
});

test('A device ends with the session that turned it on, also after its token changed, and not with another', async () => {
  const { userId } = await addPerson(db);
  const open = async () => (await openSession(db, { userId, userAgent: '' }, START_MS)).token;
  const [here, there] = [await open(), await open()];
  const mine = await turnOn(userId, 'push.example', { sessionHash: hashOf(here) });
  await turnOn(userId, 'push.example', { sessionHash: hashOf(there) });
  const rotated = await db.transaction((tx) =>
    rotateSession(tx, { userId, token: here, isProof: true }, START_MS),
  );
  const token = rotated.ok ? rotated.token : '';
  await signOutElsewhere(db, { userId, currentToken: token });
  const devices = await listPushDevices(db.read, { userId, sessionHash: hashOf(token) });
  expect(devices.map(({ id, isHere }) => [id, isHere])).toEqual([[mine, true]]);
  await endSession(db, { token });
  expect(await listPushDevices(db.read, { userId, sessionHash: null })).toEqual([]);
});

test('Signing in again keeps the device of the browser, and somebody else who signs in there turns it off', async () => {
  const [one, other] = [await addPerson(db), await addPerson(db)];
  const signIn = async (userId: string, replaces?: string) =>
    (await openSession(db, { userId, userAgent: '', replaces }, START_MS)).token;
  const first = await signIn(one.userId);
  const mine = await turnOn(one.userId, 'push.example', { sessionHash: hashOf(first) });
  const elsewhere = await turnOn(one.userId, 'push.example', {
    sessionHash: hashOf(await signIn(one.userId)),
  });
  const again = await signIn(one.userId, first);
  const shown = async (token: string) =>
    (await listPushDevices(db.read, { userId: one.userId, sessionHash: hashOf(token) }))
      .map(({ id, isHere }) => [id, isHere])
      .sort();
  expect(await shown(again)).toEqual(
    [
      [mine, true],
      [elsewhere, false],
    ].sort(),
  );
  const theirs = await signIn(other.userId, again);
  expect(await shown(theirs)).toEqual([[elsewhere, false]]);
});

test('Signing in where another account’s session has run out turns its device off, and the own one is that session’s', async () => {
  const [one, other] = [await addPerson(db), await addPerson(db)];
  const signIn = async (userId: string, browserId: string) =>
    hashOf((await openSession(db, { userId, userAgent: '', browserId }, START_MS)).token);
  const [shared, own] = [{ browserHash: hashOf('shared') }, { browserHash: hashOf('own') }];
  await turnOn(one.userId, 'push.example', shared);
  const elsewhere = await turnOn(one.userId, 'push.example', own);
  const mine = await turnOn(other.userId, 'push.example', shared);
  const sessionHash = await signIn(other.userId, 'shared');
  const shown = async (userId: string) =>
    (await listPushDevices(db.read, { userId, sessionHash })).map(({ id, isHere }) => [id, isHere]);
  expect([await shown(one.userId), await shown(other.userId)]).toEqual([
    [[elsewhere, false]],
    [[mine, true]],
  ]);
});

test('Of two starts at once that find no keys, one makes them, for good', async () => {
  const ensure = (name: string) =>
    ensurePushKeys(
      db,
      () => ({ publicKey: `public of ${name}`, privateKey: `private of ${name}` }),
      START_MS,
    );
  expect(await findPublicPushKey(db.read)).toBeNull();
  const [one, other] = await Promise.all(['one', 'other'].map(ensure));
  expect(other).toEqual(one);
  expect(await ensure('later')).toEqual(one);
  expect(one?.privateKey).toBe(one?.publicKey.replace('public', 'private'));
});

test('Notices that ended long ago are deleted, and those that wait are not', async () => {
  const { userId } = await addPerson(db);
  await turnOn(userId);
  await queue([about(userId, 'a'), about(userId, 'b')]);
  const [first] = await lease('push.example');
  await reportPushes(db, [{ push: first!, result: { kind: 'dropped', error: 'outdated' } }], START_MS);
  await prunePushes(db, START_MS + 90 * day);
  expect(await rows()).toHaveLength(2);
  await prunePushes(db, START_MS + 90 * day + 1);
  expect((await rows()).map(({ outcome }) => outcome)).toEqual([null]);
});
