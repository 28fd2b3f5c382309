import { and, eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { depositsLock } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { type DepositRoom, readDepositRoom, type WantedDeposit } from '#domain/transfer/deposit-room.ts';
import { dueDeposits, withContents } from '#domain/transfer/due-deposits.ts';
import { countOpenOffers } from '#domain/transfer/open-offers.ts';
import { sayItWaits, waits } from '#domain/transfer/say-it-waits.ts';
import { listTakingBots, type TakingBot } from '#domain/transfer/spread-deposit.ts';
import { readStackRoom, type Stackable } from '#domain/transfer/stack-room.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/**
 * Passes each deposit that this bot cannot request now, for lack of room or of a place among its open offers,
 * to another bot that can. If there is none, its timeline records what it waits for. It goes on when an offer
 * is answered or cancelled, or when items leave the bot.
 */
export async function waitForRoom(
  db: Database,
  { botId }: { botId: string },
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<void> {
  const q = db.read;
  const [open, room] = [await countOpenOffers(q, botId), await readDepositRoom(q)];
  const hasPlace = open.hasPlaceForKind('deposit');
  const due = await withContents(q, await dueDeposits(q, { botId, room, open }, nowMs));
  const waiting = due.filter((each) => !hasPlace || !room.fits(each, botId));
  if (waiting.length === 0) return;
  const others = (await listTakingBots(q, systemMs)).filter((other) => other.botId !== botId);
  for (const each of waiting)
    if (!(await passOn(db, each, others, nowMs)))
      await sayItWaits(db, each.id, hasPlace ? waits.forRoom : waits.forPlace, nowMs);
}

type Waiting = WantedDeposit & { id: string; botId: string };

async function passOn(
  db: Database,
  deposit: Waiting,
  others: readonly TakingBot[],
  nowMs: number,
): Promise<boolean> {
  if (!(await findTaker(db.read, deposit, others))) return false;
  return db.transaction(
    async (tx) => {
      const botId = await findTaker(tx, deposit, others);
      if (!botId) return false;
      const passed = await tx
        .update(transfers)
        .set({ botId })
        .where(and(eq(transfers.id, deposit.id), eq(transfers.botId, deposit.botId), underWay(['queued'])))
        .returning({ userId: transfers.userId });
      for (const { userId } of passed)
        await announce(tx, [{ userId, kind: 'transfer.changed', subjectId: deposit.id }], nowMs);
      return passed.length > 0;
    },
    { lock: depositsLock },
  );
}

/** Finds the bot with the most room that can request this deposit now. */
async function findTaker(q: Reader, deposit: Waiting, others: readonly TakingBot[]): Promise<string | null> {
  const room: DepositRoom = await readDepositRoom(q);
  const assets = await readStackables(q, deposit);
  const stacks = await readStackRoom(q, assets, { without: deposit.id });
  const roomiest = others
    .filter(({ botId }) => room.fits(deposit, botId))
    .filter(({ botId }) => stacks.hasRoomForAll(botId, assets))
    .toSorted((one, other) => room.leftBeside(deposit, other.botId) - room.leftBeside(deposit, one.botId));
  for (const { botId } of roomiest)
    if ((await countOpenOffers(q, botId)).hasPlaceForKind('deposit')) return botId;
  return null;
}

const readStackables = (q: Reader, { id }: Waiting): Promise<Stackable[]> =>
  q
    .select({
      appId: transferItems.appId,
      classId: transferItems.classId,
      typeTag: transferItems.typeTag,
      amount: transferItems.amount,
    })
    .from(transferItems)
    .where(eq(transferItems.transferId, id));
