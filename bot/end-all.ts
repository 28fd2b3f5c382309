import type { BotDeps } from '#bot/deps.ts';

/** Waits until all of these have ended, whatever becomes of the others, and logs what failed: nobody can end it better. */
export async function endAll(log: BotDeps['log'], ends: readonly Promise<unknown>[]): Promise<void> {
  for (const end of await Promise.allSettled(ends))
    if (end.status === 'rejected') log.warn({ err: end.reason }, 'a part ended with an error');
}
