import { and, count, inArray } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { botCapacities, bots } from '#db/schema/bot.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { transferItems } from '#db/schema/transfer.ts';

/**
 * The number of items of a game that a bot holds at most where Steam does not tell its room. Steam holds
 * about 1,000 CS2 items in an inventory; a full one makes trades fail.
 */
export const BOT_CAPACITY = 900;

/** Numbers of items by game. */
export type Contents = ReadonlyMap<number, number>;

/** Counts assets by game. */
export function contentsOf(assets: readonly { appId: number }[]): Contents {
  const contents = new Map<number, number>();
  for (const { appId } of assets) contents.set(appId, (contents.get(appId) ?? 0) + 1);
  return contents;
}

export const sizeOf = (contents: Contents): number => [...contents.values()].reduce((all, n) => all + n, 0);

/** Numbers of items by bot and game. */
export class Counts {
  readonly #counts: ReadonlyMap<string, number>;

  constructor(rows: readonly { botId: string; appId: number; n: number }[]) {
    this.#counts = new Map(rows.map(({ botId, appId, n }) => [`${appId}/${botId}`, n]));
  }

  find = (botId: string, appId: number): number | undefined => this.#counts.get(`${appId}/${botId}`);
}

/** The room that bots have for items of each game, if nothing under way arrived. */
export class GameRoom {
  readonly #capacities: Counts;
  readonly #held: Counts;

  constructor(capacities: Counts, held: Counts) {
    this.#capacities = capacities;
    this.#held = held;
  }

  freeAt = (botId: string, appId: number): number =>
    (this.#capacities.find(botId, appId) ?? BOT_CAPACITY) - (this.#held.find(botId, appId) ?? 0);
}

/** Reads the room of all bots. */
export async function readGameRoom(q: Reader): Promise<GameRoom> {
  const { botId, appId, capacity: n } = botCapacities;
  const capacities = await q.select({ botId, appId, n }).from(botCapacities);
  const held = await q
    .select({ botId: items.botId, appId: items.appId, n: count() })
    .from(items)
    .where(and(inArray(items.botId, q.select({ id: bots.id }).from(bots)), within(items.state, inCustody)))
    .groupBy(items.botId, items.appId);
  return new GameRoom(new Counts(capacities), new Counts(held));
}

/** Reads what is in these transfers. */
export async function readContents(
  q: Reader,
  transferIds: readonly string[],
): Promise<(transferId: string) => Contents> {
  const { transferId, appId } = transferItems;
  const rows =
    transferIds.length === 0
      ? []
      : await q
          .select({ transferId, appId, n: count() })
          .from(transferItems)
          .where(inArray(transferId, [...transferIds]))
          .groupBy(transferId, appId);
  const found = new Map<string, Map<number, number>>();
  for (const row of rows)
    found.set(row.transferId, (found.get(row.transferId) ?? new Map()).set(row.appId, row.n));
  return (id) => found.get(id) ?? new Map();
}
