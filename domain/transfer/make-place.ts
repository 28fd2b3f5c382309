import { and, asc, eq, max } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { dueTransfers, givenKinds } from '#domain/transfer/due-transfers.ts';
import { PLACE_HELD_MS, PLACE_NEEDED } from '#domain/transfer/offer-limits.ts';
import { countOpenOffers } from '#domain/transfer/open-offers.ts';
import { sayItWaits, waits } from '#domain/transfer/say-it-waits.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { underWay } from '#domain/transfer/under-way.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/**
 * Makes places for claims and returns that wait for one among the bot's open offers. Records the wait in
 * their timelines, and requests the cancellation of as many offers as needed of those that nobody has
 * answered for an hour, oldest first. A claim may take the place of any such offer in a shared place, a
 * return only another return's; deposits end by themselves. Returns how many offers are to be cancelled, and
 * in how many milliseconds the next may be; null if nothing waits.
 */
export async function makePlace(
  db: Database,
  { botId, checkedClaims = [] }: { botId: string; checkedClaims?: readonly string[] },
  nowMs: number,
): Promise<{ asked: number; nextMs: number | null }> {
  const q = db.read;
  const open = await countOpenOffers(q, botId);
  const waiting: (typeof transfers.$inferSelect)[] = [];
  for (const kind of givenKinds)
    if (!open.hasPlaceForKind(kind))
      waiting.push(...(await dueTransfers(q, { botId, kind, checkedClaims, open }, nowMs)));
  if (waiting.length === 0) return { asked: 0, nextMs: null };
  for (const { id } of waiting) await sayItWaits(db, id, waits.forPlace, nowMs);
  const unanswered = await listUnanswered(q, botId);
  const lacking = {
    claim: waiting.filter(({ kind }) => kind === 'claim').length,
    return: waiting.filter(({ kind }) => kind === 'return').length,
  };
  const shared = { claim: open.sharedBy('claim'), return: open.sharedBy('return') };
  let asked = 0;
  for (const { id, kind, cancelWanted, shownAtMs } of unanswered) {
    if (kind === 'deposit') continue;
    const place: keyof Places = kind;
    const taker = takerOf(place, lacking, shared);
    if (!taker) continue;
    const heldMs = shownAtMs + PLACE_HELD_MS - nowMs;
    // The offers are in the order in which they were shown, so all later ones are younger.
    if (heldMs > 0 && !cancelWanted) return { asked, nextMs: heldMs };
    lacking[taker] -= 1;
    if (taker === 'claim') shared[place] -= 1;
    if (!cancelWanted && (await takeBack(db, id, nowMs))) asked += 1;
  }
  return { asked, nextMs: null };
}

type Places = Record<'claim' | 'return', number>;

/**
 * Returns which kind could be sent in place of an offer of this kind: a return instead of a return, a claim
 * in a shared place.
 */
function takerOf(kind: keyof Places, lacking: Places, shared: Places): keyof Places | null {
  if (kind === 'return' && lacking.return > 0) return 'return';
  return lacking.claim > 0 && shared[kind] > 0 ? 'claim' : null;
}

const takeBack = (db: Database, id: string, nowMs: number): Promise<boolean> =>
  transferTransaction(db, id, async (tx) => {
    const [sent] = await tx
      .select({ cancelWanted: transfers.cancelWanted })
      .from(transfers)
      .where(and(eq(transfers.id, id), underWay(['sent'])));
    if (!sent || sent.cancelWanted) return false;
    return (await withdrawTransfer(tx, id, { reason: PLACE_NEEDED }, nowMs)) === 'asked';
  });

/** Lists the bot's offers that wait for an answer, in the order in which their receivers were shown them. */
async function listUnanswered(q: Reader, botId: string) {
  const shownAtMs = max(transferSteps.atMs);
  const rows = await q
    .select({ id: transfers.id, kind: transfers.kind, cancelWanted: transfers.cancelWanted, shownAtMs })
    .from(transfers)
    .innerJoin(
      transferSteps,
      and(eq(transferSteps.transferId, transfers.id), is(transferSteps.state, 'sent')),
    )
    .where(and(eq(transfers.botId, botId), underWay(['sent'])))
    .groupBy(transfers.id)
    .orderBy(asc(shownAtMs), asc(transfers.id));
  return rows.map((row) => ({ ...row, shownAtMs: Number(row.shownAtMs) }));
}
