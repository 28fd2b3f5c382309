import { config } from '#app/config.server.ts';
import { type Clock, openClock } from '#platform/clock.ts';

let opening: Promise<Clock> | null = null;

/** The clock of this process, opened when it is first needed. A failed opening is tried again. */
export function openDomainClock(): Promise<Clock> {
  opening ??= openClock(config().clockUrl?.href).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

/** The domain time in epoch milliseconds, which every verb takes. */
export async function domainNow(): Promise<number> {
  return (await openDomainClock()).now();
}
