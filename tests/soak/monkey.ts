import { setTimeout as delay } from 'node:timers/promises';
import { inArray } from 'drizzle-orm';
import { bots } from '#db/schema/bot.ts';
import { type TransferState, transfers } from '#db/schema/transfer.ts';
import type { Actor } from './actor.ts';
import type { ProcessName } from './processes.ts';
import type { Stage } from './stage.ts';

const LOOK_MS = 4;
/** So long it waits for the worst moment before it strikes anyhow. */
const PATIENCE_MS = 15_000;

/** Kills bot and web without a word, half of the time at once and half of it while an offer is being made. */
export function killer(stage: Stage): Actor {
  const { processes, tally } = stage;
  const chance = stage.chanceOf('killer');
  return {
    name: 'killer',
    pauseMs: () => chance.between(6000, 50_000),
    async act() {
      const whom = chance.among({ bot: 5, web: 3, both: 2 });
      const worst: TransferState[] = chance.is(0.5) ? ['sending'] : ['unconfirmed', 'uncertain'];
      if (whom !== 'web' && chance.is(0.5)) await untilSomeAre(stage, worst);
      const killed: ProcessName[] = whom === 'both' ? ['bot', 'web'] : [whom];
      await Promise.all(killed.map((name) => processes.kill(name)));
      tally.note(`kill: ${whom}`);
      // Mostly nobody waits for the dead one's lease; it is over all the same, since that process is.
      if (killed.includes('bot') && chance.is(0.75)) await endLeases(stage);
      for (const name of killed) processes.start(name);
    },
  };
}

async function untilSomeAre({ database }: Stage, states: TransferState[]): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  while (Date.now() < deadlineMs) {
    if ((await database.read.$count(transfers, inArray(transfers.state, states))) > 0) return;
    await delay(LOOK_MS);
  }
}

/** What 45 seconds would do. */
export async function endLeases({ database }: Stage): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.update(bots).set({ leaseUntilMs: 0 });
  });
}
