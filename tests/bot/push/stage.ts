import { onTestFinished } from 'vitest';
import webPush from 'web-push';
import type { LeasedDeps } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import { createPushClient } from '#bot/push/push-client.ts';
import { createPushSender } from '#bot/push/send-pushes.ts';
import { subjectOf } from '#bot/workers/start-pushes.ts';
import { pushDevices, pushes } from '#db/schema/push.ts';
import { turnPushOn } from '#domain/push/push-devices.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';
import type { Subscription } from '#sandbox/push/push-world.ts';
import { startPushService } from '#sandbox/push/start-push-service.ts';
import { openTestDatabase, testVault } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { promiseTo } from '#tests/support/promises.ts';

/** A bot that sends to a push service of the sandbox, a streamer, and a viewer. */
export async function setPushStage({ deadlineMs = 10_000 } = {}) {
  const db = await openTestDatabase();
  const service = await startPushService(0);
  onTestFinished(() => service.close());
  const time = { ms: START_MS };
  const config = {
    publicUrl: new URL('https://keepsake.example'),
    operatorEmail: null,
    pushServiceUrl: new URL(service.url),
  };
  const deps = {
    db,
    clock: { now: () => time.ms, stop: () => {} },
    config,
    vault: testVault,
    log: createLog('silent'),
    lease: heldLease(db),
  } as unknown as LeasedDeps;
  const keys = await ensurePushKeys(db, () => webPush.generateVAPIDKeys(), time.ms);
  const client = createPushClient({
    keys,
    subject: subjectOf(config),
    ownService: config.pushServiceUrl,
    deadlineMs,
  });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  const streamer = await addStreamer(db);
  await addBot(db);

  /** A device of a person, at this push service or another. */
  async function turnOn(
    { userId }: Person,
    url = service.url,
    subscription = service.world.subscribe(keys.publicKey),
  ) {
    const { id, keys: browser } = subscription;
    const { deviceId } = await turnPushOn(
      db,
      {
        userId,
        subscription: { endpoint: `${url}/push/${id}`, p256dh: browser.p256dh, auth: browser.auth },
        publicKey: keys.publicKey,
        sessionHash: null,
        browserHash: null,
        userAgent: 'Firefox/145.0',
      },
      time.ms,
    );
    return { deviceId, subscription };
  }
  return {
    db,
    service,
    keys,
    client,
    deps,
    time,
    streamer,
    viewer: () => addPerson(db),
    turnOn,
    promise: (viewers: readonly Person[], facts = {}) =>
      promiseTo(db, streamer, viewers, { nowMs: time.ms, ...facts }),
    /** Sends what is due with a sender that knows nothing of earlier rounds. */
    async send() {
      const sender = createPushSender({ deps, client, publicKey: keys.publicKey, signal });
      await sender.begin(() => {});
      await sender.settled();
    },
    rows: () => db.read.select().from(pushes),
    devices: () => db.read.select().from(pushDevices),
  };
}

/** The notices that a browser got. */
export const shownOn = ({ messages }: Subscription) =>
  messages.map(({ text }) => JSON.parse(text).notification);
