import { setTimeout as delay } from 'node:timers/promises';

/** Repeats what fails until it does not, and rejects with its last failure after this long. */
export async function untilDone<T>(
  act: () => T | Promise<T>,
  { timeoutMs = 120_000, everyMs = 50 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
    }
    await delay(everyMs);
  }
}
