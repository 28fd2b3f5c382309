import { setTimeout as delay } from 'node:timers/promises';

const times = {
  everyMs: 5_000,
  retryMs: 1_000,
  /**
   * A database that answers nothing, as without its synchronous standby, keeps no process down for longer. An SQLite file
   * whose lock somebody has says so earlier.
   */
  patienceMs: 15_000,
};

interface Announcement {
  /** Says that the process runs, and learns whether it may. */
  announce(): Promise<'runs' | 'migrating' | 'outdated'>;
  /** Says that it has ended. */
  withdraw(): Promise<unknown>;
  /** Called once if it has to wait for a migration before it may run. */
  onWaiting(): void;
  /** Called once if it may no longer run. */
  onOutdated(): void;
  warn(error: unknown): void;
}

/**
 * Says again and again that this process runs, until `end`. Returns null if it may not run at all, and waits as long as a
 * migration is under way. A database that does not answer keeps no process down.
 */
export async function announceRepeatedly(
  { announce, withdraw, onWaiting, onOutdated, warn }: Announcement,
  { everyMs, retryMs, patienceMs }: typeof times = times,
): Promise<{ end(): Promise<void> } | null> {
  const attempt = () =>
    announce().catch((error: unknown) => {
      warn(error);
      return 'unanswered' as const;
    });
  let asked = attempt();
  const soon = () => Promise.race([asked, delay(patienceMs, 'unanswered' as const, { ref: false })]);
  let answer = await soon();
  if (answer === 'migrating') onWaiting();
  while (answer === 'migrating') {
    await delay(retryMs);
    asked = attempt();
    answer = await soon();
  }
  if (answer === 'outdated') return null;
  const over = new AbortController();
  const repeat = async () => {
    for (let last = await asked; last !== 'outdated'; last = await asked) {
      // Its migration is watching for a sign of life, and may end at any moment.
      await delay(last === 'migrating' ? retryMs : everyMs, undefined, {
        signal: over.signal,
        ref: false,
      }).catch(() => {});
      if (over.signal.aborted) return;
      asked = attempt();
    }
    onOutdated();
  };
  const repeating = repeat();
  return {
    async end() {
      over.abort();
      await repeating;
      await withdraw().catch(warn);
    },
  };
}
