import { config } from '#app/config.server.ts';
import { type Clock, openClock } from '#platform/clock.ts';

let opening: Promise<Clock> | null = null;

/** Domain time now, in epoch milliseconds: what every verb is told. */
export async function domainNow(): Promise<number> {
  opening ??= openClock(config().clockUrl?.href).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return (await opening).now();
}
