import { and, asc, desc, eq, ne } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { type CustodyChange, rehearsable } from '#domain/custody/rehearse.ts';
import { findClosestPiece } from '#domain/item/find-closest-piece.ts';
import { leaseLeftMs } from '#domain/kernel/lease.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { advanceTransfer, type TransferChange } from '#domain/transfer/advance-transfer.ts';
import { SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { LONGEST_PROTECTION_MS, OFFER_LIFETIME_MS } from '#domain/transfer/offer-limits.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import { type TransferTx, transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { type TransferEvent, transferMachine } from '#domain/transfer/transfer-machine.ts';

/** The operator's finding on Steam. */
export type TransferFinding =
  /** The offer of a doubtful sending exists under this id. */
  | { as: 'found'; offerId: string }
  /** The offer of a doubtful sending does not exist; it is sent again. */
  | { as: 'absent' }
  /**
   * The items changed hands. For a deposit: the unknown asset that each item is now, unless their classes
   * tell.
   */
  | { as: 'delivered'; assets?: Readonly<Record<string, string>> }
  /** The offer ended and nothing changed hands. */
  | { as: 'undelivered' };

export type ResolveRefusal =
  | 'transferNotFound'
  | 'transferEnded'
  | 'stillSending'
  | 'notDoubtful'
  | 'notSent'
  | 'offerTaken'
  | 'offerMayBeOpen'
  | 'protectedStill'
  | 'changedHands'
  | 'assetsUnclear';

type Transfer = typeof transfers.$inferSelect;
type Answer = Outcome<{ changes: CustodyChange[] }, ResolveRefusal>;

/**
 * Applies an operator's finding on Steam to a transfer that the bot cannot resolve; the ledger and the
 * timeline name the operator. Refused while the bot may still be sending it, while an offer whose items would
 * be free could still be accepted, and while a trade may still be reversed.
 */
export async function resolveTransfer(
  db: Database,
  request: { transferId: string; finding: TransferFinding; isRehearsal?: boolean },
  nowMs: number,
  systemMs: number,
): Promise<Answer> {
  const { transferId, finding, isRehearsal = false } = request;
  return refusable<Answer, ResolveRefusal>(() =>
    rehearsable<Answer>(isRehearsal, (finish) =>
      transferTransaction(db, transferId, async (tx) => {
        const transfer = await readTransfer(tx, transferId);
        if (!transfer) return refuse('transferNotFound');
        if (transferMachine.isTerminal(transfer.state)) return refuse('transferEnded');
        if (isBeingSent(transfer, systemMs)) return refuse('stillSending');
        const before = await statesOf(tx, transferId);
        if (transfer.state === 'sending') await advance(tx, transferId, { event: 'answerLost' }, nowMs);
        await apply(tx, transfer, finding, nowMs);
        return finish(done({ changes: changesBetween(before, await statesOf(tx, transferId)) }));
      }),
    ),
  );
}

async function readTransfer(tx: Tx, transferId: string): Promise<Transfer | undefined> {
  const [transfer] = await tx.select().from(transfers).where(eq(transfers.id, transferId));
  return transfer;
}

const isBeingSent = ({ state, leaseUntilMs }: Transfer, systemMs: number) =>
  state === 'sending' && leaseLeftMs(leaseUntilMs, SENDING_LEASE_MS, systemMs) > 0;

/** Returns whether nobody knows if the offer was sent: `sending` has just become `uncertain`. */
const isDoubtful = ({ state }: Transfer) => state === 'sending' || state === 'uncertain';

/**
 * Refuses a finding that only decides a doubt, unless there is one. An offer that the operator named and the
 * bot has not confirmed is in doubt again.
 */
async function reopenDoubt(tx: TransferTx, transfer: Transfer, nowMs: number): Promise<void> {
  if (isDoubtful(transfer)) return;
  const last = await lastStep(tx, transfer.id);
  const isNamed = transfer.state === 'unconfirmed' && last?.event === 'foundUnconfirmed';
  if (!isNamed || last.detail !== 'operator') throw new Refused<ResolveRefusal>('notDoubtful');
  await advance(tx, transfer.id, { event: 'mistaken' }, nowMs);
}

async function lastStep(tx: Tx, transferId: string, event?: TransferEvent) {
  const [step] = await tx
    .select()
    .from(transferSteps)
    .where(and(eq(transferSteps.transferId, transferId), event ? eq(transferSteps.event, event) : undefined))
    .orderBy(desc(transferSteps.id))
    .limit(1);
  return step;
}

async function apply(
  tx: TransferTx,
  transfer: Transfer,
  finding: TransferFinding,
  nowMs: number,
): Promise<void> {
  if (transfer.state === 'queued') throw new Refused<ResolveRefusal>('notSent');
  switch (finding.as) {
    case 'found':
      return applyFound(tx, transfer, finding.offerId, nowMs);
    case 'absent':
      await reopenDoubt(tx, transfer, nowMs);
      return advance(tx, transfer.id, { event: 'provenAbsent', runAtMs: nowMs }, nowMs);
    case 'delivered':
      return applyDelivered(tx, transfer, finding.assets, nowMs);
    case 'undelivered':
      return applyUndelivered(tx, transfer, nowMs);
  }
}

async function applyFound(tx: TransferTx, transfer: Transfer, offerId: string, nowMs: number): Promise<void> {
  await reopenDoubt(tx, transfer, nowMs);
  const [other] = await tx
    .select({ id: transfers.id })
    .from(transfers)
    .where(and(eq(transfers.offerId, offerId), ne(transfers.id, transfer.id)));
  if (other) throw new Refused<ResolveRefusal>('offerTaken');
  // If it waits for its confirmation, the bot confirms it, as it does every waiting offer of ours.
  await advance(tx, transfer.id, { event: 'foundUnconfirmed', offerId }, nowMs);
}

async function applyDelivered(
  tx: TransferTx,
  transfer: Transfer,
  named: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): Promise<void> {
  if (transfer.state === 'accepted') {
    if ((transfer.settlesAtMs ?? 0) > nowMs) throw new Refused<ResolveRefusal>('protectedStill');
    return advance(tx, transfer.id, { event: 'settled' }, nowMs);
  }
  const settlesAtMs = nowMs + LONGEST_PROTECTION_MS;
  const arrived = transfer.kind === 'deposit' ? await arrivalsOf(tx, transfer, named) : [];
  const moved = arrived.map((asset) => ({ ...asset, protectedUntilMs: settlesAtMs }));
  if (isDoubtful(transfer)) await advance(tx, transfer.id, { event: 'foundSent' }, nowMs);
  if (transfer.state === 'unconfirmed') await advance(tx, transfer.id, { event: 'confirmed' }, nowMs);
  await advance(tx, transfer.id, { event: 'accepted', moved, settlesAtMs }, nowMs);
}

/**
 * Maps each deposited item to the bot's unknown asset that it is now: as named, otherwise the only ones of
 * their class with as many pieces.
 */
async function arrivalsOf(
  tx: Tx,
  transfer: Transfer,
  named: Readonly<Record<string, string>> | undefined,
): Promise<MovedAsset[]> {
  const wanted = await tx
    .select()
    .from(transferItems)
    .where(eq(transferItems.transferId, transfer.id))
    .orderBy(asc(transferItems.assetId));
  const unknown = await tx.select().from(unknownAssets).where(eq(unknownAssets.botId, transfer.botId));
  const taken = new Set<string>();
  const arrived: MovedAsset[] = [];
  for (const piece of wanted) {
    const { appId, assetId } = piece;
    const isAlike = (one: typeof piece | (typeof unknown)[number]) =>
      one.appId === appId && one.classId === piece.classId && one.amount === piece.amount;
    const fits = unknown.filter(isAlike);
    const ofClass = wanted.filter(isAlike);
    const left = fits.filter((asset) => !taken.has(`${appId}/${asset.assetId}`));
    const found = named
      ? fits.find((asset) => asset.assetId === named[assetId])
      : fits.length === ofClass.length
        ? left[findClosestPiece(left, piece)]
        : undefined;
    const key = `${appId}/${found?.assetId}`;
    if (!found || taken.has(key)) throw new Refused<ResolveRefusal>('assetsUnclear');
    taken.add(key);
    arrived.push({ appId, assetId, newAssetId: found.assetId, newContextId: found.contextId });
  }
  for (const { appId, newAssetId } of arrived)
    await tx
      .delete(unknownAssets)
      .where(
        and(
          eq(unknownAssets.botId, transfer.botId),
          eq(unknownAssets.appId, appId),
          eq(unknownAssets.assetId, newAssetId),
        ),
      );
  return arrived;
}

async function applyUndelivered(tx: TransferTx, transfer: Transfer, nowMs: number): Promise<void> {
  const { id, state, createdAtMs, expiresAtMs } = transfer;
  if (state === 'accepted') throw new Refused<ResolveRefusal>('changedHands');
  const started = await lastStep(tx, id, 'started');
  const openUntilMs = expiresAtMs ?? (started?.atMs ?? createdAtMs) + OFFER_LIFETIME_MS;
  if (state !== 'escrowed' && nowMs < openUntilMs) throw new Refused<ResolveRefusal>('offerMayBeOpen');
  if (isDoubtful(transfer)) await advance(tx, id, { event: 'foundSent' }, nowMs);
  await advance(tx, id, { event: state === 'escrowed' ? 'rolledBack' : 'invalidated' }, nowMs);
}

async function advance(
  tx: TransferTx,
  transferId: string,
  change: TransferChange<TransferEvent>,
  nowMs: number,
): Promise<void> {
  if (!(await advanceTransfer(tx, transferId, { ...change, by: 'operator' }, nowMs)))
    throw new Error(`transfer ${transferId} does not allow ${change.event}`);
}

type States = Map<string, Omit<CustodyChange, 'from' | 'to'> & { state: string }>;

async function statesOf(tx: Tx, transferId: string): Promise<States> {
  const states: States = new Map();
  const add = (subject: CustodyChange['subject'], id: string, state: string) =>
    states.set(`${subject} ${id}`, { subject, id, state });
  const [transfer] = await tx
    .select({ state: transfers.state, rewardId: transfers.rewardId })
    .from(transfers)
    .where(eq(transfers.id, transferId));
  if (transfer) add('transfer', transferId, transfer.state);
  const held = await tx
    .select({ id: items.id, state: items.state })
    .from(transferItems)
    .innerJoin(items, eq(items.id, transferItems.itemId))
    .where(eq(transferItems.transferId, transferId));
  for (const { id, state } of held) add('item', id, state);
  if (!transfer?.rewardId) return states;
  const [reward] = await tx
    .select({ state: rewards.state })
    .from(rewards)
    .where(eq(rewards.id, transfer.rewardId));
  if (reward) add('reward', transfer.rewardId, reward.state);
  return states;
}

const changesBetween = (before: States, after: States): CustodyChange[] =>
  [...after].flatMap(([key, { subject, id, state }]) => {
    const from = before.get(key)?.state ?? 'outside';
    return from === state ? [] : [{ subject, id, from, to: state }];
  });
