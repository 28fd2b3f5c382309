import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { createPushClient, MAX_PAYLOAD_BYTES, readRetryAfter } from '#bot/push/push-client.ts';
import { createPushSender } from '#bot/push/send-pushes.ts';
import { pushDevices, pushEvents } from '#db/schema/push.ts';
import { users } from '#db/schema/user.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { setPushEvents, turnPushOff } from '#domain/push/push-devices.ts';
import { MAX_PUSH_ATTEMPTS, pauseBefore } from '#domain/push/report-push.ts';
import { startPushService } from '#sandbox/push/start-push-service.ts';
import { acceptOffer, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { setPushStage, shownOn } from './stage.ts';

const senderOf = ({ deps, client, keys: { publicKey } }: Awaited<ReturnType<typeof setPushStage>>) =>
  createPushSender({ deps, client, publicKey, signal: new AbortController().signal });

test('A promise, its last hours, its offer and its delivery reach each device of the viewer, once', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  const [phone, laptop] = [await stage.turnOn(viewer), await stage.turnOn(viewer)];
  const other = await stage.turnOn(await stage.viewer());
  const { rewards } = await stage.promise([viewer], { claimTimeoutHours: 48 });
  const rewardId = rewards[0]?.id ?? '';
  await stage.send();
  await stage.send();
  const promised = {
    web_push: 8030,
    notification: {
      title: 'A reward is yours to claim',
      body: 'Claim it by Wed, 7 January 2026 at 12:00 UTC.',
      lang: 'en',
      dir: 'ltr',
      navigate: `https://keepsake.example/rewards/${rewardId}/claim`,
      tag: rewardId.replaceAll('-', ''),
    },
  };
  for (const { subscription } of [phone, laptop]) {
    expect(subscription.taken).toBe(1);
    const [message] = subscription.messages;
    expect(JSON.parse(message?.text ?? '')).toEqual(promised);
    expect(message).toMatchObject({ urgency: 'normal', ttlS: 48 * 3600, topic: promised.notification.tag });
  }

  stage.time.ms += 42 * hour;
  await stage.send();
  // The topic is the reward's, so a device that was away gets the later notice only.
  expect(shownOn(phone.subscription)).toMatchObject([
    { title: 'Last hours to claim your reward', navigate: promised.notification.navigate },
  ]);
  expect(phone.subscription.messages[0]).toMatchObject({ urgency: 'high', ttlS: 6 * 3600 });

  await claimReward(stage.db, { rewardId, userId: viewer.userId }, stage.time.ms);
  const [sent] = await sendQueued(stage.db, stage.time.ms);
  await stage.send();
  expect(shownOn(laptop.subscription)).toMatchObject([
    {
      title: 'Your trade offer is on Steam',
      navigate: `https://keepsake.example/transfers?open=${sent?.id}`,
    },
  ]);
  await acceptOffer(stage.db, sent?.id ?? '', await assetsIn(stage.db, sent?.id ?? ''), stage.time.ms);
  await stage.send();
  expect(shownOn(phone.subscription)).toMatchObject([{ title: 'Your reward has arrived' }]);
  expect(phone.subscription.taken).toBe(4);
  expect(other.subscription.taken).toBe(0);
  const texts = phone.subscription.messages.map(({ text }) => text).join(' ');
  for (const name of ['Demo case', 'Demo person', 'Demo rule']) expect(texts).not.toContain(name);
});

test('Texts are in the viewer’s language and time zone, and a device is told only of what it wants', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  await stage.db.transaction((tx) => tx.update(users).set({ locale: 'ru', timeZone: 'Asia/Tokyo' }));
  const wants = await stage.turnOn(viewer);
  const muted = await stage.turnOn(viewer);
  const late = await stage.turnOn(viewer);
  await setPushEvents(stage.db, {
    userId: viewer.userId,
    deviceId: muted.deviceId,
    events: ['offerSent'],
    offered: pushEvents,
  });
  await stage.promise([viewer], { claimTimeoutHours: 24 });
  // Chosen after the notice was queued.
  await setPushEvents(stage.db, {
    userId: viewer.userId,
    deviceId: late.deviceId,
    events: ['reminder'],
    offered: pushEvents,
  });
  await stage.send();
  expect(shownOn(wants.subscription)).toMatchObject([
    { title: 'Вас ждёт награда', body: 'Срок: вт, 6 января 2026 г. в 21:00.', lang: 'ru' },
  ]);
  expect([muted.subscription.taken, late.subscription.taken]).toEqual([0, 0]);
});

test('A notice that is not true any more is dropped, and a reminder waits while a claim is under way', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  const device = await stage.turnOn(viewer);
  const { rewards } = await stage.promise([viewer], { claimTimeoutHours: 48 });
  await claimReward(stage.db, { rewardId: rewards[0]?.id ?? '', userId: viewer.userId }, stage.time.ms);
  stage.time.ms += 42 * hour;
  await stage.send();
  expect(device.subscription.taken).toBe(0);
  expect((await stage.rows()).map(({ event, outcome }) => [event, outcome])).toEqual([
    ['promised', 'dropped'],
    // Its offer may fail, and then it is open again.
    ['reminder', null],
  ]);
  const [offer] = await sendQueued(stage.db, stage.time.ms);
  await acceptOffer(stage.db, offer?.id ?? '', await assetsIn(stage.db, offer?.id ?? ''), stage.time.ms);
  stage.time.ms += hour;
  await stage.send();
  expect((await stage.rows()).filter(({ event }) => event === 'reminder')).toMatchObject([
    { outcome: 'dropped' },
  ]);
});

test('A device that is turned on after the promise is told of its last hours, and one that wants that by then', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  const early = await stage.turnOn(viewer);
  const choose = (...events: string[]) =>
    setPushEvents(stage.db, { userId: viewer.userId, deviceId: early.deviceId, events, offered: pushEvents });
  await choose('promised');
  await stage.promise([viewer], { claimTimeoutHours: 48 });
  stage.time.ms += hour;
  const late = await stage.turnOn(viewer);
  await choose('reminder');
  stage.time.ms += 41 * hour;
  await stage.send();
  for (const { subscription } of [early, late])
    expect(shownOn(subscription).map(({ title }) => title)).toContain('Last hours to claim your reward');
});

const soon = { taken: 0, outcome: null, attempts: 1, isEnded: false };
test.each([
  ['201', { status: 201 }, { taken: 0, outcome: 'sent', attempts: 1, isEnded: false }],
  ['404', { status: 404 }, { taken: 0, outcome: 'refused', attempts: 1, isEnded: true }],
  ['410', { status: 410 }, { taken: 0, outcome: 'refused', attempts: 1, isEnded: true }],
  ['413', { status: 413 }, { taken: 0, outcome: 'refused', attempts: 1, isEnded: false }],
  ['400', { status: 400 }, { taken: 0, outcome: 'refused', attempts: 1, isEnded: false }],
  ['a redirect', { status: 302 }, { taken: 0, outcome: 'refused', attempts: 1, isEnded: false }],
  ['429', { status: 429, retryAfter: '600' }, soon],
  ['403', { status: 403 }, soon],
  ['503', { status: 503 }, soon],
  ['500', { status: 500 }, soon],
  ['no answer in time', { status: 201, afterMs: null }, soon],
])('The answer of a push service: %s', async (_, fault, expected) => {
  const stage = await setPushStage('afterMs' in fault ? { deadlineMs: 100 } : {});
  const viewer = await stage.viewer();
  const { subscription } = await stage.turnOn(viewer);
  await stage.promise([viewer], { claimTimeoutHours: 11 });
  subscription.faults.push(fault);
  await stage.send();
  const [[row], [device]] = [await stage.rows(), await stage.devices()];
  const { outcome, attempts, runAtMs } = row ?? {};
  expect({ taken: subscription.taken, outcome, attempts, isEnded: device?.endedAtMs !== null }).toEqual(
    expected,
  );
  // A device that has ended keeps no endpoint.
  expect(device?.subscription === '').toBe(expected.isEnded);
  if (expected !== soon) return;
  const pauseMs = (runAtMs ?? 0) - stage.time.ms;
  const leastMs = fault.status === 429 ? 10 * minute : 30_000;
  expect(pauseMs).toBeGreaterThanOrEqual(leastMs);
  expect(pauseMs).toBeLessThanOrEqual(1.25 * leastMs);
  await stage.send();
  expect(subscription.taken).toBe(0);
  stage.time.ms += 2 * leastMs;
  await stage.send();
  expect(subscription.taken).toBe(1);
});

test('A notice that fails again and again is given up after some attempts, in growing pauses', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  const { subscription } = await stage.turnOn(viewer);
  await stage.promise([viewer], { claimTimeoutHours: 11 });
  subscription.faults.push(...Array.from({ length: 20 }, () => ({ status: 500 })));
  for (let round = 0; round < 12; round++) {
    await stage.send();
    stage.time.ms += 45 * minute;
  }
  expect(await stage.rows()).toMatchObject([{ outcome: 'givenUp', lastError: 'answered 500' }]);
  expect(subscription.taken).toBe(0);
  const pauses = [1, 2, 3, 4, 5].map((attempts) => pauseBefore(attempts, 0, 0));
  expect(pauses).toEqual([...pauses].sort((one, other) => one - other));
  expect(new Set(pauses).size).toBe(MAX_PUSH_ATTEMPTS - 1);
  expect(pauseBefore(1, 30 * day, 1)).toBe(7.5 * hour);
});

test('A push service that does not answer keeps no other waiting, and gets a rest', async () => {
  const stage = await setPushStage({ deadlineMs: 300 });
  const viewers = [
    await stage.viewer(),
    await stage.viewer(),
    await stage.viewer(),
    await stage.viewer(),
  ] as const;
  const slow = await startPushService(0, stage.service.world);
  onTestFinished(() => slow.close());
  // Both are at one origin that may be called, told apart by their hosts.
  const port = new URL(slow.url).port;
  const client = createPushClient({
    keys: stage.keys,
    subject: 'mailto:operator@example.org',
    ownService: new URL(slow.url),
    deadlineMs: 300,
  });
  onTestFinished(() => client.close());
  const at = `http://127.0.0.1:${port}`;
  const stuck = [await stage.turnOn(viewers[0], at), await stage.turnOn(viewers[3], at)];
  for (const { subscription } of stuck) subscription.faults.push({ status: 201, afterMs: null });
  const quick = [await stage.turnOn(viewers[1]), await stage.turnOn(viewers[2])];
  const takenByStuck = () => stuck.map(({ subscription }) => subscription.taken);
  await stage.promise(viewers, { claimTimeoutHours: 11 });
  const both = {
    send: (...given: Parameters<typeof client.send>) =>
      (given[0].subscription.endpoint.startsWith(slow.url) ? client : stage.client).send(...given),
    close() {},
  };
  const sender = createPushSender({
    deps: stage.deps,
    client: both,
    publicKey: stage.keys.publicKey,
    signal: new AbortController().signal,
  });
  const through: number[] = [];
  await sender.begin(() => through.push(quick.filter(({ subscription }) => subscription.taken === 1).length));
  await expect.poll(() => through).toEqual([2]);
  await sender.settled();
  expect(takenByStuck()).toEqual([0, 0]);
  // It is due again, but rests by the sender's own clock.
  stage.time.ms += minute;
  await sender.begin(() => {});
  await sender.settled();
  expect(takenByStuck()).toEqual([0, 0]);
});

test('One device whose subscription belongs to another key keeps no other device waiting', async () => {
  const stage = await setPushStage();
  const viewers = [await stage.viewer(), await stage.viewer()];
  const foreign = stage.service.world.subscribe('of another server');
  const bad = await stage.turnOn(viewers[0]!, undefined, foreign);
  const good = await stage.turnOn(viewers[1]!);
  const sender = senderOf(stage);
  // The second round would find the push service at rest.
  for (const viewer of viewers) {
    await stage.promise([viewer], { claimTimeoutHours: 11 });
    await sender.begin(() => {});
    await sender.settled();
  }
  expect([bad.subscription.taken, good.subscription.taken]).toEqual([0, 1]);
});

test('One device whose key is no point of the curve keeps no other device waiting', async () => {
  const stage = await setPushStage();
  const viewers = [await stage.viewer(), await stage.viewer()];
  const bad = stage.service.world.subscribe(stage.keys.publicKey);
  // The right length and first byte, as anybody can write.
  bad.keys.p256dh = Buffer.alloc(65, 4).toString('base64url');
  await stage.turnOn(viewers[0]!, undefined, bad);
  const good = await stage.turnOn(viewers[1]!);
  const sender = senderOf(stage);
  for (const viewer of viewers) {
    await stage.promise([viewer], { claimTimeoutHours: 11 });
    await sender.begin(() => {});
    await sender.settled();
  }
  expect([bad.taken, good.subscription.taken]).toEqual([0, 1]);
  expect((await stage.rows()).map(({ outcome }) => outcome).sort()).toEqual(['refused', 'sent']);
});

test('One device that fails keeps no other device waiting, but two that do and nobody else let the push service rest', async () => {
  const stage = await setPushStage();
  const viewers = [await stage.viewer(), await stage.viewer(), await stage.viewer()];
  const devices: Awaited<ReturnType<typeof stage.turnOn>>[] = [];
  for (const viewer of viewers) devices.push(await stage.turnOn(viewer));
  const sender = senderOf(stage);
  const promise = async (...indexes: number[]) => {
    await stage.promise(
      indexes.map((index) => viewers[index]!),
      { claimTimeoutHours: 11 },
    );
    await sender.begin(() => {});
    await sender.settled();
    return devices.map(({ subscription }) => subscription.taken);
  };
  devices[0]!.subscription.faults.push({ status: 500 });
  expect(await promise(0)).toEqual([0, 0, 0]);
  expect(await promise(1)).toEqual([0, 1, 0]);
  for (const index of [1, 2]) devices[index]!.subscription.faults.push({ status: 500 });
  expect(await promise(1, 2)).toEqual([0, 1, 0]);
  expect(await promise(2)).toEqual([0, 1, 0]);
});

test('A notice that cannot be prepared is sent later, and those beside it are sent once', async () => {
  const stage = await setPushStage();
  const viewers = [await stage.viewer(), await stage.viewer()];
  const [odd, fine] = [await stage.turnOn(viewers[0]!), await stage.turnOn(viewers[1]!)];
  await stage.promise(viewers, { claimTimeoutHours: 11 });
  const broken = eq(pushDevices.id, odd.deviceId);
  await stage.db.transaction((tx) => tx.update(pushDevices).set({ subscription: 'no JSON' }).where(broken));
  await stage.send();
  await stage.send();
  expect(fine.subscription.taken).toBe(1);
  const rows = await stage.rows();
  expect(rows.find(({ deviceId }) => deviceId === odd.deviceId)).toMatchObject({
    outcome: null,
    attempts: 1,
    leaseUntilMs: 0,
  });
  expect(rows.find(({ deviceId }) => deviceId === fine.deviceId)).toMatchObject({ outcome: 'sent' });
});

test('A device that subscribed with another key of ours is told nothing until it subscribes anew', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  const { subscription } = await stage.turnOn(viewer);
  await stage.promise([viewer], { claimTimeoutHours: 11 });
  const sender = createPushSender({
    deps: stage.deps,
    client: stage.client,
    publicKey: 'a newer key',
    signal: new AbortController().signal,
  });
  await sender.begin(() => {});
  await sender.settled();
  expect(await stage.devices()).toMatchObject([{ ending: 'otherKey', subscription: '' }]);
  expect(subscription.taken).toBe(0);
});

test('A device that was turned off is told nothing, also of what was queued before', async () => {
  const stage = await setPushStage();
  const viewer = await stage.viewer();
  const { deviceId, subscription } = await stage.turnOn(viewer);
  await stage.promise([viewer]);
  await turnPushOff(stage.db, { userId: viewer.userId, deviceId });
  await stage.send();
  expect([subscription.taken, await stage.rows()]).toEqual([0, []]);
});

const push = { payload: '{}', ttlS: 1, urgency: 'normal', topic: 'a', mayBegin: () => true } as const;

test.each([
  'https://127.0.0.1/push/1',
  'https://[::1]/push/1',
  'https://[::ffff:10.0.0.1]/push/1',
  'https://169.254.169.254/latest',
  'https://2130706433/push',
  'https://updates.push.services.mozilla.com:8443/push/1',
  'http://updates.push.services.mozilla.com/push/1',
])('The address %s is not called, and its device ends', async (endpoint) => {
  const stage = await setPushStage();
  const { keys } = stage.service.world.subscribe();
  const subscription = { endpoint, p256dh: keys.p256dh, auth: keys.auth };
  expect(await stage.client.send({ ...push, subscription }, 0)).toMatchObject({
    kind: 'ended',
    ending: 'notAllowed',
  });
});

test('A name that leads to inner addresses is not called, and its device stays', async () => {
  const stage = await setPushStage();
  const { keys } = stage.service.world.subscribe();
  const subscription = { endpoint: 'https://localhost/push/1', p256dh: keys.p256dh, auth: keys.auth };
  expect(await stage.client.send({ ...push, subscription }, 0)).toEqual({
    kind: 'later',
    error: 'localhost leads to inner addresses alone',
    isOfOne: true,
  });
});

test('A payload that push services need not take is refused here', async () => {
  const stage = await setPushStage();
  const { id, keys } = stage.service.world.subscribe();
  const subscription = { endpoint: `${stage.service.url}/push/${id}`, p256dh: keys.p256dh, auth: keys.auth };
  const send = (bytes: number) =>
    stage.client.send({ ...push, subscription, payload: 'x'.repeat(bytes) }, Date.now());
  expect(await send(MAX_PAYLOAD_BYTES)).toEqual({ kind: 'sent' });
  expect(await send(MAX_PAYLOAD_BYTES + 1)).toMatchObject({ kind: 'refused' });
});

test('Retry-After is read as seconds and as a date', () => {
  expect(
    ['120', 'Thu, 01 Jan 1970 00:02:00 GMT', 'soon', undefined].map((text) => readRetryAfter(text, 60_000)),
  ).toEqual([120_000, 60_000, null, null]);
});
