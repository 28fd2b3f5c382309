import { preparingTransferStates, type transfers } from '#db/schema/transfer.ts';

const isPreparing: ReadonlySet<string> = new Set(preparingTransferStates);

/**
 * Returns for how long a claim that ends now has waited without its offer ever reaching the viewer; 0 if it
 * did reach them. The viewer is not to blame for the wait, whether it was for a bot, for a place among the
 * open offers or for Steam. `transfer` is as it was before its end, `error` is the reason of that end.
 */
export function ownDelayMs(
  {
    state,
    createdAtMs,
    sendsFromMs,
  }: Pick<typeof transfers.$inferSelect, 'state' | 'createdAtMs' | 'sendsFromMs'>,
  error: string | undefined,
  nowMs: number,
): number {
  // A claim that waited for Twitch got that time back when it was checked.
  if (!isPreparing.has(state) || error === 'twitchSilent') return 0;
  // The claim window already includes the time for which its rule holds it back.
  return Math.max(0, nowMs - Math.max(createdAtMs, sendsFromMs ?? 0));
}
