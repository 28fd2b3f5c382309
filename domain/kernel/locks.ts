import { holdLocks, holdsLock, lockNamed, type Tx } from '#db/database.ts';

// All locks of the domain. A transaction that takes several takes them in this order, so that no two wait for
// each other: deposits, channels (in one call, which sorts them; none is added later), a user's rules, a user's
// items, a bot. Any other lock is the only one of its transaction.

declare const channel: unique symbol;
declare const items: unique symbol;

/**
 * A transaction that holds the lock of one or several channels: no other one decides who is promised what on
 * them. Functions that serve, promise or settle require it, and compare the channel with `requireChannel`.
 */
export type ChannelTx = Tx & { readonly [channel]: true };
/** A transaction that holds the lock of a streamer's items: no other one assigns or returns them. */
export type ItemsTx = Tx & { readonly [items]: true };

export const depositsLock = lockNamed('deposits');
export const channelLock = (channelId: string) => lockNamed<ChannelTx>(`channel:${channelId}`);
/** One limit applies to a user's rules across channels. */
export const rulesLock = (userId: string) => lockNamed(`rules:${userId}`);
export const itemsLock = (ownerId: string) => lockNamed<ItemsTx>(`items:${ownerId}`);
/** A viewer's claims count against one limit, whichever bots they come from. */
export const claimsLock = (userId: string) => lockNamed(`claims:${userId}`);
/** Stripe's reports about a user are stored in order. */
export const billingLock = (userId: string) => lockNamed(`billing:${userId}`);
export const botLock = (botId: string) => lockNamed(`bot:${botId}`);
/** Two first heartbeats after an outage must not move the claim windows twice. */
export const heartbeatLock = lockNamed('heartbeat');
/** Two processes must not delete old rows at once. */
export const pruneLock = lockNamed('prune');
/** Two stops of sending, or two ends of one, must not both count. */
export const sendingLock = lockNamed('sending');
export const apiTokensLock = (userId: string) => lockNamed(`apiTokens:${userId}`);
export const pushDevicesLock = (userId: string) => lockNamed(`pushDevices:${userId}`);

/** Takes the locks of these channels. */
export async function lockChannels(tx: Tx, channelIds: Iterable<string>): Promise<ChannelTx> {
  await holdLocks(tx, [...new Set(channelIds)].sort().map(channelLock));
  return tx as ChannelTx;
}

/** Throws unless the transaction holds this channel's lock. */
export function requireChannel(tx: ChannelTx, channelId: string): void {
  if (!holdsLock(tx, channelLock(channelId))) throw new Error(`the lock of channel ${channelId} is not held`);
}
