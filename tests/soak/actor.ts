import { setTimeout as delay } from 'node:timers/promises';

/** Somebody who does one thing after the other. */
export interface Actor {
  name: string;
  pauseMs(): number;
  act(): Promise<void>;
}

/** Lets an actor act until it is over. What throws is no deed but a mistake of the soak, and ends it. */
export async function play(actor: Actor, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await actor.act();
    await delay(actor.pauseMs(), undefined, { signal: over }).catch(() => {});
  }
}
