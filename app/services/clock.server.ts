import { config } from '#app/config.server.ts';
import { type Clock, openClock } from '#platform/clock.ts';

let opening: Promise<Clock> | null = null;

/** The domain time in epoch milliseconds, which every verb takes. */
export async function domainNow(): Promise<number> {
  opening ??= openClock(config().clockUrl?.href).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return (await opening).now();
}
