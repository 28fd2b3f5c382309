import { preparingTransferStates, type transfers } from '#db/schema/transfer.ts';

/** Causes on our side or Steam's: whoever waits because of them is not late. */
const ours: ReadonlySet<string> = new Set([
  'steamSessionLost',
  'steamBusy',
  'steamUnavailable',
  'botRestricted',
  'offerLimit',
  'answerLost',
  'notConfirmed',
]);
const isPreparing: ReadonlySet<string> = new Set(preparingTransferStates);

/**
 * How long a claim that ends now has waited because of us or of Steam without its offer ever reaching the viewer; 0 if
 * it did, or if nothing of ours delayed it. `transfer` is as it was before its end, `error` is the reason of that end.
 */
export function ownDelayMs(
  {
    state,
    createdAtMs,
    lastError,
  }: Pick<typeof transfers.$inferSelect, 'state' | 'createdAtMs' | 'lastError'>,
  error: string | undefined,
  nowMs: number,
): number {
  // A claim that Twitch kept waiting got that time back when it was checked.
  if (!isPreparing.has(state) || error === 'twitchSilent') return 0;
  return ours.has(error ?? '') || ours.has(lastError ?? '') ? nowMs - createdAtMs : 0;
}
