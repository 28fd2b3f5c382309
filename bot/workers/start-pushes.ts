import webPush from 'web-push';
import type { BotConfiguration } from '#bot/config.ts';
import type { BotPart } from '#bot/deps.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import { createPushClient } from '#bot/push/push-client.ts';
import { createPushSender } from '#bot/push/send-pushes.ts';
import { startWorker } from '#bot/worker.ts';
import { second } from '#domain/kernel/time.ts';
import { nextPushDueMs } from '#domain/push/lease-pushes.ts';
import { ensurePushKeys } from '#domain/push/push-keys.ts';

const PUSH_MS = 2 * second;

/** Push services of browser makers want to know whom to write to; Apple's takes nothing but an address of these kinds. */
export const subjectOf = ({
  publicUrl,
  operatorEmail,
}: Pick<BotConfiguration, 'publicUrl' | 'operatorEmail'>) =>
  publicUrl.protocol === 'https:' ? publicUrl.origin : `mailto:${operatorEmail ?? 'operator@localhost'}`;

/** Starts sending notices to devices, after it has made the instance's keys, if there were none. */
export async function startPushes(deps: LeasedDeps): Promise<BotPart> {
  const { db, clock, log, config, changes } = deps;
  const keys = await ensurePushKeys(db, () => webPush.generateVAPIDKeys(), clock.now());
  const client = createPushClient({ keys, subject: subjectOf(config), ownService: config.pushServiceUrl });
  const ending = new AbortController();
  const sender = createPushSender({ deps, client, publicKey: keys.publicKey, signal: ending.signal });
  const worker = startWorker({
    name: 'push',
    everyMs: PUSH_MS,
    changes,
    log,
    async run() {
      await sender.begin(() => worker.soon());
      return nextPushDueMs(db.read, clock.now(), Date.now());
    },
  });
  return {
    report: () => ({ push: { state: 'ready' } }),
    nudge: () => worker.nudge(),
    async stop() {
      ending.abort();
      await worker.stop();
      await sender.settled();
      client.close();
    },
  };
}
