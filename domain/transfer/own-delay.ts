import { preparingTransferStates, type transfers } from '#db/schema/transfer.ts';

const isPreparing: ReadonlySet<string> = new Set(preparingTransferStates);

/**
 * How long a claim that ends now has waited without its offer ever reaching the viewer; 0 if it did. Whatever it waited
 * for, a bot, a place among the open offers or Steam, the viewer is not late because of it. `transfer` is as it was
 * before its end, `error` is the reason of that end.
 */
export function ownDelayMs(
  { state, createdAtMs }: Pick<typeof transfers.$inferSelect, 'state' | 'createdAtMs'>,
  error: string | undefined,
  nowMs: number,
): number {
  // A claim that Twitch kept waiting got that time back when it was checked.
  return isPreparing.has(state) && error !== 'twitchSilent' ? nowMs - createdAtMs : 0;
}
