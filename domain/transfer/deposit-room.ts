import { and, eq, exists, inArray, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { openOfferStates, transfers } from '#db/schema/transfer.ts';
import { depositBudget, shareOfRoom } from '#domain/budget/budgets.ts';
import {
  type Contents,
  type GameRoom,
  readContents,
  readGameRoom,
  sizeOf,
} from '#domain/transfer/game-room.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** Matches transfers of an account that ever had a deposit accepted. */
export const hasDeposited = (q: Reader) =>
  sql<boolean>`${exists(
    q.select({ one: sql`1` }).from(items).where(eq(items.ownerId, transfers.userId)),
  )}`.mapWith(Boolean);

/** A deposit that is not on Steam yet. */
export interface WantedDeposit {
  userId: string;
  hasDeposited: boolean;
  contents: Contents;
}
interface OpenDeposit extends WantedDeposit {
  botId: string;
}

/** The room that deposits take up which are on Steam, or may be. Queued deposits take none. */
export class DepositRoom {
  readonly #room: Pick<GameRoom, 'freeAt'>;
  readonly #open: OpenDeposit[];

  constructor(room: Pick<GameRoom, 'freeAt'>, open: readonly OpenDeposit[]) {
    this.#room = room;
    this.#open = [...open];
  }

  /** Counts a deposit that is on Steam from now on. */
  add(deposit: OpenDeposit): void {
    this.#open.push(deposit);
  }

  /** Returns how many more items of a game a bot could receive if all open deposits were accepted. */
  leftAt = (botId: string, appId: number): number =>
    this.#room.freeAt(botId, appId) - sum(this.#open.filter(at(botId)), appId);

  /** Returns how many more items of its scarcest game a bot could receive beside this deposit. */
  leftBeside = ({ contents }: WantedDeposit, botId: string): number =>
    Math.min(...[...contents].map(([appId, n]) => this.leftAt(botId, appId) - n));

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
  fits(wanted: WantedDeposit, botId: string): boolean {
    const { userId, hasDeposited, contents } = wanted;
    if (this.leftBeside(wanted, botId) < 0) return false;
    const own = this.#open.filter(of(userId));
    if (own.length === 0) return true;
    const { atOnce, unansweredItems } = depositBudget(hasDeposited);
    const asked = own.reduce((all, each) => all + sizeOf(each.contents), sizeOf(contents));
    if (own.length >= atOnce || asked > unansweredItems) return false;
    return [...contents].every(([appId, n]) => {
      const ownHere = sum(own.filter(at(botId)), appId);
      return ownHere + n <= shareOfRoom(this.leftAt(botId, appId) + ownHere);
    });
  }
}

const at = (botId: string) => (each: OpenDeposit) => each.botId === botId;
const of = (userId: string) => (each: OpenDeposit) => each.userId === userId;
const sum = (deposits: readonly OpenDeposit[], appId: number) =>
  deposits.reduce((all, { contents }) => all + (contents.get(appId) ?? 0), 0);

/** Reads the room that deposits take up, over all bots because an account is counted over all of them. */
export async function readDepositRoom(q: Reader): Promise<DepositRoom> {
  const { id, userId, botId } = transfers;
  const open = await q
    .select({ id, userId, botId, hasDeposited: hasDeposited(q) })
    .from(transfers)
    .where(
      and(
        inArray(transfers.botId, q.select({ id: bots.id }).from(bots)),
        underWay(openOfferStates),
        is(transfers.kind, 'deposit'),
      ),
    );
  const contentsIn = await readContents(
    q,
    open.map((each) => each.id),
  );
  return new DepositRoom(
    await readGameRoom(q),
    open.map((each) => ({ ...each, contents: contentsIn(each.id) })),
  );
}
