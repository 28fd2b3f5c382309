// A process is paused around the call that sends a notice. Another one sends what is due meanwhile. The paused one goes on with
// its call when it wakes, and has lost its lease by then.
import { expect, test } from 'vitest';
import { HELD_MS } from '#bot/leases.ts';
import type { PushClient } from '#bot/push/push-client.ts';
import { createPushSender } from '#bot/push/send-pushes.ts';
import { hour, second } from '#domain/kernel/time.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import { heldLease } from '#tests/support/leases.ts';
import { skippableTime } from '#tests/support/passing-time.ts';
import { setPushStage, shownOn } from './stage.ts';

/** A notice that is due, and a process that is paused at its call for it, before or after it takes effect. */
async function setPaused(when: 'before' | 'after') {
  const stage = await setPushStage();
  const time = skippableTime();
  const viewer = await stage.viewer();
  const { subscription } = await stage.turnOn(viewer);
  await stage.promise([viewer], { claimTimeoutHours: 48 });
  const held = holdOnce();
  let isAwake = false;
  const lease = heldLease(stage.db, { leftMs: () => (isAwake ? 0 : HELD_MS) });
  const client: PushClient = {
    ...stage.client,
    async send(...given) {
      if (when === 'before') await held.wait();
      const result = await stage.client.send(...given);
      if (when === 'after') await held.wait();
      return result;
    },
  };
  const { deps, keys } = stage;
  const { signal } = new AbortController();
  const paused = createPushSender({
    deps: { ...deps, lease },
    client,
    publicKey: keys.publicKey,
    signal,
  });
  await paused.begin(() => {});
  await held.isReached;
  return {
    subscription,
    rows: stage.rows,
    pause(ms: number) {
      stage.time.ms += ms;
      time.skip(ms);
    },
    send: stage.send,
    async wake() {
      isAwake = true;
      held.release();
      await paused.settled();
    },
    /** Sends what has become due again. */
    async sendRest() {
      stage.time.ms += hour;
      time.skip(hour);
      await stage.send();
    },
  };
}

const pauses = [5, 45, 90, 200, 600] as const;

test.each(pauses)('A notice is sent once by a process that was paused for %d s before it', async (pauseS) => {
  const { subscription, rows, pause, send, wake, sendRest } = await setPaused('before');
  pause(pauseS * second);
  await send();
  await wake();
  await sendRest();
  expect(subscription.taken).toBe(1);
  // It was tried once: what never left the process is no attempt.
  expect((await rows())[0]).toMatchObject({ outcome: 'sent', attempts: 1 });
});

test.each(pauses)('A notice whose answer is read %d s later is shown once', async (pauseS) => {
  const { subscription, rows, pause, send, wake, sendRest } = await setPaused('after');
  pause(pauseS * second);
  await send();
  await wake();
  await sendRest();
  // Nobody knows of what was sent more than a notice's lease ago; a second one takes the place of the first.
  expect(subscription.taken).toBe(pauseS > 120 ? 2 : 1);
  expect(shownOn(subscription)).toHaveLength(1);
  expect((await rows())[0]).toMatchObject({ outcome: 'sent' });
});
