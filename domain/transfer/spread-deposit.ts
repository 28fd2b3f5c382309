import { and, asc, count, eq, inArray } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { isAlive } from '#domain/bot/record-heartbeat.ts';
import { shareOfRoom } from '#domain/budget/budgets.ts';
import { type Contents, Counts, readGameRoom, sizeOf } from '#domain/transfer/game-room.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';

/** A bot that takes deposits. */
export interface TakingBot {
  botId: string;
  /** Number of items of a game that it could still hold, if nothing under way arrived. */
  freeIn(appId: number): number;
  /** Number of items of a game that deposits under way would bring, including those that only wait. */
  comingIn(appId: number): number;
}

/** Lists the ready bots that are alive. */
export async function listTakingBots(q: Reader, systemMs: number): Promise<TakingBot[]> {
  const rows = await q
    .select({ botId: bots.id })
    .from(bots)
    .where(and(is(bots.state, 'ready'), isAlive(systemMs)))
    .orderBy(asc(bots.id));
  const room = await readGameRoom(q);
  const coming = new Counts(
    await q
      .select({ botId: transfers.botId, appId: transferItems.appId, n: count() })
      .from(transfers)
      .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
      .where(
        and(
          inArray(transfers.botId, q.select({ id: bots.id }).from(bots)),
          within(transfers.state, liveTransferStates),
          is(transfers.kind, 'deposit'),
        ),
      )
      .groupBy(transfers.botId, transferItems.appId),
  );
  return rows.map(({ botId }) => ({
    botId,
    freeIn: (appId) => room.freeAt(botId, appId),
    comingIn: (appId) => coming.find(botId, appId) ?? 0,
  }));
}

/** An offer of a deposit. */
export interface DepositPart {
  botId: string;
  contents: Contents;
}

/**
 * Divides a deposit into offers, each no larger than one account's share of the bot's room, and each for the
 * bot that has the most left. Only held items count against a bot's room, because items under way may never
 * arrive, and a deposit waits until there is room. Games have room of their own; what is left of one joins
 * the offers of another where it fits. Null if the bots could not hold it all.
 */
export function spreadDeposit(contents: Contents, takingBots: readonly TakingBot[]): DepositPart[] | null {
  const parts: { botId: string; contents: Map<number, number> }[] = [];
  for (const [appId, size] of contents) {
    const ofGame = spreadGame({ appId, size, joined: parts }, takingBots);
    if (!ofGame) return null;
    for (const { botId, size: n } of ofGame) {
      const joined = parts.find((part) => part.botId === botId && canJoin(part.contents, appId, n));
      if (joined) joined.contents.set(appId, n);
      else parts.push({ botId, contents: new Map([[appId, n]]) });
    }
  }
  return parts;
}

const canJoin = (contents: Contents, appId: number, size: number): boolean =>
  !contents.has(appId) && sizeOf(contents) + size <= MAX_ITEMS_PER_OFFER;

interface GameDeposit {
  appId: number;
  size: number;
  /** The offers of other games, so that a small rest needs no offer of its own. */
  joined: readonly DepositPart[];
}

function spreadGame(
  { appId, size, joined }: GameDeposit,
  takingBots: readonly TakingBot[],
): { botId: string; size: number }[] | null {
  const rooms = takingBots.map(({ botId, freeIn, comingIn }) => {
    const free = freeIn(appId);
    return { botId, free, left: free - comingIn(appId), taken: 0 };
  });
  const parts: { botId: string; size: number }[] = [];
  let left = size;
  while (left > 0) {
    const roomiest = rooms
      .filter(({ free, taken }) => free > taken)
      .toSorted((one, other) => other.left - other.taken - (one.left - one.taken));
    const partAt = ({ free, taken }: (typeof rooms)[number]) =>
      Math.min(left, MAX_ITEMS_PER_OFFER, shareOfRoom(free), free - taken);
    const completing = roomiest.find(
      (room) =>
        partAt(room) === left &&
        joined.some(({ botId, contents }) => botId === room.botId && canJoin(contents, appId, left)),
    );
    const room = completing ?? roomiest[0];
    if (!room) return null;
    const part = partAt(room);
    room.taken += part;
    left -= part;
    parts.push({ botId: room.botId, size: part });
  }
  return parts;
}
