import { and, eq, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm';
import { is, within } from '#db/dialect.ts';
import { type RewardState, rewards } from '#db/schema/reward.ts';
import { preparingTransferStates, type TransferState, transfers } from '#db/schema/transfer.ts';

/** The ways in which a promise can end. */
export const endedStatuses = [
  'delivered',
  'final',
  'timedOut',
  'reversed',
  'depositReversed',
  'stopped',
  'recalled',
] as const;
export type EndedStatus = (typeof endedStatuses)[number];

/** The stages of a promised reward, and the ways in which its promise can end. */
export const promiseStatuses = ['promised', 'claimed', 'offerSent', ...endedStatuses] as const;
export type PromiseStatus = (typeof promiseStatuses)[number];

/** The reasons of a recall that have a status of their own. */
const named = ['timedOut', 'reversed', 'depositReversed', 'stopped'] as const;
const isNamed = (reason: string | null) => named.find((each) => each === reason);
const isPreparing = within(transfers.state, preparingTransferStates);

/** Selects the rewards with a status, each joined with its latest claim. */
export const hasStatus: Record<PromiseStatus, SQL | undefined> = {
  promised: is(rewards.state, 'promised'),
  claimed: and(is(rewards.state, 'reserved'), isPreparing),
  offerSent: and(is(rewards.state, 'reserved'), within(transfers.state, ['sent', 'escrowed'])),
  delivered: and(is(rewards.state, 'claimed'), or(isNull(transfers.state), is(transfers.state, 'accepted'))),
  final: and(is(rewards.state, 'claimed'), is(transfers.state, 'settled')),
  timedOut: and(is(rewards.state, 'recalled'), eq(rewards.recallReason, 'timedOut')),
  reversed: and(is(rewards.state, 'recalled'), eq(rewards.recallReason, 'reversed')),
  depositReversed: and(is(rewards.state, 'recalled'), eq(rewards.recallReason, 'depositReversed')),
  stopped: and(is(rewards.state, 'recalled'), eq(rewards.recallReason, 'stopped')),
  recalled: and(
    is(rewards.state, 'recalled'),
    notInArray(sql`coalesce(${rewards.recallReason}, '')`, [...named]),
  ),
};

/** Returns the status of one reward from its latest claim. */
export function promiseStatusOf(reward: {
  state: RewardState;
  recallReason: string | null;
  transferState: TransferState | null;
}): PromiseStatus {
  const { state, recallReason, transferState } = reward;
  if (state === 'recalled') return isNamed(recallReason) ?? 'recalled';
  if (state === 'claimed') return transferState === 'settled' ? 'final' : 'delivered';
  if (state === 'reserved')
    return transferState === 'sent' || transferState === 'escrowed' ? 'offerSent' : 'claimed';
  return 'promised';
}
