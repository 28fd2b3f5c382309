import { and, count, eq, exists, inArray, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { openOfferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { depositBudget, shareOfRoom } from '#domain/budget/budgets.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** Steam holds about 1,000 CS2 items in an inventory; a full one makes trades fail. */
export const BOT_CAPACITY = 900;

/** Counts the items that a bot holds; the outer query names the bot. */
export const heldByBot = (q: Reader) =>
  sql<number>`(${q
    .select({ n: count() })
    .from(items)
    .where(and(eq(items.botId, bots.id), within(items.state, inCustody)))})`.mapWith(Number);

/** Matches transfers of an account that ever had a deposit accepted. */
export const hasDeposited = (q: Reader) =>
  sql<boolean>`${exists(
    q.select({ one: sql`1` }).from(items).where(eq(items.ownerId, transfers.userId)),
  )}`.mapWith(Boolean);

/** Counts the items of a transfer. */
export const sizeOf = (q: Reader) =>
  sql<number>`(${q
    .select({ n: count() })
    .from(transferItems)
    .where(eq(transferItems.transferId, transfers.id))})`.mapWith(Number);

/** A deposit that is not on Steam yet. */
export interface WantedDeposit {
  userId: string;
  hasDeposited: boolean;
  size: number;
}
interface OpenDeposit extends WantedDeposit {
  botId: string;
}

/** The room that deposits take up which are on Steam, or may be. Queued deposits take none. */
export class DepositRoom {
  readonly #heldBy: ReadonlyMap<string, number>;
  readonly #open: OpenDeposit[];

  constructor(heldBy: ReadonlyMap<string, number>, open: readonly OpenDeposit[]) {
    this.#heldBy = heldBy;
    this.#open = [...open];
  }

  /** Counts a deposit that is on Steam from now on. */
  add(deposit: OpenDeposit): void {
    this.#open.push(deposit);
  }

  /** Returns how many more items a bot could receive if all open deposits were accepted. */
  leftAt = (botId: string): number => this.#freeAt(botId) - sum(this.#open.filter(at(botId)));

  /** Returns the accounts that have as many offers on Steam as they may. */
  fullAccounts(): string[] {
    const known = new Map(this.#open.map((each) => [each.userId, each.hasDeposited]));
    return [...known].flatMap(([userId, deposited]) =>
      this.offersOf(userId) >= depositBudget(deposited).atOnce ? [userId] : [],
    );
  }

  offersOf = (userId: string): number => this.#open.filter(of(userId)).length;

  /**
   * Returns whether this bot may send this deposit now. An account may always have one offer open where it
   * fits; for more, it keeps to its share of what the others leave free.
   */
  fits({ userId, hasDeposited, size }: WantedDeposit, botId: string): boolean {
    if (size > this.leftAt(botId)) return false;
    const own = this.#open.filter(of(userId));
    if (own.length === 0) return true;
    const { atOnce, unansweredItems } = depositBudget(hasDeposited);
    if (own.length >= atOnce || sum(own) + size > unansweredItems) return false;
    const ownHere = sum(own.filter(at(botId)));
    return ownHere + size <= shareOfRoom(this.leftAt(botId) + ownHere);
  }

  #freeAt = (botId: string): number => BOT_CAPACITY - (this.#heldBy.get(botId) ?? 0);
}

const at = (botId: string) => (each: OpenDeposit) => each.botId === botId;
const of = (userId: string) => (each: OpenDeposit) => each.userId === userId;
const sum = (deposits: readonly OpenDeposit[]) => deposits.reduce((all, { size }) => all + size, 0);

/** Reads the room that deposits take up, over all bots because an account is counted over all of them. */
export async function readDepositRoom(q: Reader): Promise<DepositRoom> {
  const held = await q.select({ botId: bots.id, held: heldByBot(q) }).from(bots);
  const { userId, botId } = transfers;
  const open = await q
    .select({ userId, botId, hasDeposited: hasDeposited(q), size: sizeOf(q) })
    .from(transfers)
    .where(
      and(
        inArray(transfers.botId, q.select({ id: bots.id }).from(bots)),
        underWay(openOfferStates),
        is(transfers.kind, 'deposit'),
      ),
    );
  return new DepositRoom(new Map(held.map((each) => [each.botId, each.held])), open);
}
