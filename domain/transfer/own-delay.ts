import { preparingTransferStates, type transfers } from '#db/schema/transfer.ts';

const isPreparing: ReadonlySet<string> = new Set(preparingTransferStates);

/**
 * How long a claim that ends now has waited without its offer ever reaching the viewer; 0 if it did. Whatever it waited
 * for, a bot, a place among the open offers or Steam, the viewer is not late because of it. `transfer` is as it was
 * before its end, `error` is the reason of that end.
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
  // A claim that Twitch kept waiting got that time back when it was checked.
  if (!isPreparing.has(state) || error === 'twitchSilent') return 0;
  // The claim window has the time in it for which its rule holds it back.
  return Math.max(0, nowMs - Math.max(createdAtMs, sendsFromMs ?? 0));
}
