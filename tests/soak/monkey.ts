import { setTimeout as delay } from 'node:timers/promises';
import { and, isNotNull } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { transfers } from '#db/schema/transfer.ts';
import { endAllLeases } from '#tests/support/leases.ts';
import type { Actor } from './actor.ts';
import type { ProcessName } from './processes.ts';
import type { Stage } from './stage.ts';

const CHECK_MS = 4;
/** It waits this long for the worst moment before it kills anyway. */
const PATIENCE_MS = 12_000;

/** Moments at which something is half done between us and a platform. */
const moments = {
  sending: ({ db }: Stage) => db.read.$count(transfers, is(transfers.state, 'sending')),
  confirming: ({ db }: Stage) => db.read.$count(transfers, is(transfers.state, 'unconfirmed')),
  doubting: ({ db }: Stage) => db.read.$count(transfers, is(transfers.state, 'uncertain')),
  givingBack: ({ db }: Stage) =>
    db.read.$count(redemptions, and(is(redemptions.state, 'open'), isNotNull(redemptions.settlement))),
};

/** Kills bot and web without warning: at random, when something is half done, or right after their start. */
export function killer(stage: Stage): Actor {
  const { processes, tally } = stage;
  const chance = stage.chanceOf('killer');
  return {
    name: 'killer',
    pauseMs: () => (chance.is(0.15) ? chance.between(1000, 9000) : chance.between(25_000, 45_000)),
    async act() {
      const whom = chance.among({ bot: 3, web: 4, both: 1 });
      const moment = chance.among({ any: 4, sending: 3, confirming: 1, doubting: 1, givingBack: 2 });
      if (whom !== 'web' && moment !== 'any') await untilItComes(stage, moments[moment]);
      const killed: ProcessName[] = whom === 'both' ? ['bot', 'web'] : [whom];
      await Promise.all(killed.map((name) => processes.kill(name)));
      tally.note(`kill: ${whom}`);
      // Usually the dead process's lease is ended at once, and a pause before the next log-on, instead of waited for.
      // A pause that began while the clock was ahead would last for hours.
      if (killed.includes('bot') && (chance.is(0.85) || stage.hostClock.maxAheadMs > 0))
        await endWaits(stage);
      for (const name of killed) processes.start(name);
    },
  };
}

async function untilItComes(stage: Stage, isHere: (stage: Stage) => Promise<number>): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  while (Date.now() < deadlineMs && (await isHere(stage)) === 0) await delay(CHECK_MS);
}

const withoutSendingPause = { sendPausedAtMs: 0, sendPauseMs: 0 };

/** Steam takes offers again, as after an hour. */
export async function endSendingPauses({ db }: Stage): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(bots).set(withoutSendingPause);
  });
}

/** Has the effect of an hour: on a dead process's lease, and on the pauses of log-ons and of sending. */
export async function endWaits({ db }: Stage): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ logOnPausedAtMs: 0, logOnPauseMs: 0, ...withoutSendingPause });
  });
  await endAllLeases(db);
}
