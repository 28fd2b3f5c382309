import { setTimeout as delay } from 'node:timers/promises';

/** Somebody who performs one action after another. */
export interface Actor {
  name: string;
  pauseMs(): number;
  act(): Promise<void>;
}

/** Lets an actor act until aborted. An exception is a bug in the soak, and ends it. */
export async function play(actor: Actor, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await actor.act();
    await delay(actor.pauseMs(), undefined, { signal: over }).catch(() => {});
  }
}
