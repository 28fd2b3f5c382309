import { and, eq, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { hereOrBack, items } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { isStackable } from '#domain/item/stackable.ts';
import { listTakingBots } from '#domain/transfer/spread-deposit.ts';

/** The facts that tell whether an asset could be merged with another. */
export type Stackable = Pick<Asset, 'appId' | 'classId' | 'typeTag' | 'amount'>;
type Class = Pick<Asset, 'appId' | 'classId'>;

/** Names an asset's class, in all games. */
export const classKeyOf = ({ appId, classId }: Class): string => `${appId}/${classId}`;

/**
 * The room that bots have for stacks. Stacks of one class that meet in an inventory may become one asset, so a bot has one
 * asset of such a class at most, in all: what it holds, what may come back to it, and what deposits would bring.
 */
export class StackRoom {
  readonly #single: ReadonlySet<string>;
  readonly #taken: Set<string>;

  constructor(wanted: readonly Stackable[], present: readonly (Stackable & { botId: string })[]) {
    this.#single = new Set([...wanted, ...present].filter(isStackable).map(classKeyOf));
    this.#taken = new Set(present.map(({ botId, ...asset }) => `${botId} ${classKeyOf(asset)}`));
  }

  /** Returns whether a bot has one asset of this class at most. */
  isSingle = (asset: Class): boolean => this.#single.has(classKeyOf(asset));

  hasRoom = (botId: string, asset: Class): boolean =>
    !this.isSingle(asset) || !this.#taken.has(`${botId} ${classKeyOf(asset)}`);

  /** Counts an asset that goes to this bot from now on. */
  add(botId: string, asset: Class): void {
    this.#taken.add(`${botId} ${classKeyOf(asset)}`);
  }
}

/**
 * Reads the room for these assets. `without` is a deposit that does not count, because it is the one that is to be placed.
 */
export async function readStackRoom(
  q: Reader,
  wanted: readonly Stackable[],
  { without = '' }: { without?: string } = {},
): Promise<StackRoom> {
  const classIds = [...new Set(wanted.filter(isStackable).map(({ classId }) => classId))];
  const botIds = (await q.select({ id: bots.id }).from(bots)).map(({ id }) => id);
  const present = { botIds, without };
  const stacks = await listPresent(q, ({ amount }) => sql`${amount} > 1`, present);
  const pieces =
    classIds.length === 0 ? [] : await listPresent(q, ({ classId }) => isAmong(classId, classIds), present);
  return new StackRoom(wanted, [...stacks, ...pieces]);
}

type Facts = Record<'classId' | 'amount', SQLWrapper>;

/**
 * Lists what bots have or will have. An unknown asset may become an item meanwhile, and so may what a deposit brings; each
 * is read before what it becomes, so that none is overlooked.
 */
async function listPresent(
  q: Reader,
  which: (facts: Facts) => SQL,
  { botIds, without }: { botIds: readonly string[]; without: string },
): Promise<(Stackable & { botId: string })[]> {
  const unknown = await q
    .select(factsOf(unknownAssets, unknownAssets.botId))
    .from(unknownAssets)
    .where(and(isAmong(unknownAssets.botId, botIds), which(unknownAssets)));
  const coming = await q
    .select(factsOf(transferItems, transfers.botId))
    .from(transfers)
    .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
    .where(
      and(
        isAmong(transfers.botId, botIds),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
        ne(transfers.id, without),
        which(transferItems),
      ),
    );
  const held = await q
    .select(factsOf(items, items.botId))
    .from(items)
    .where(and(isAmong(items.botId, botIds), within(items.state, hereOrBack), which(items)));
  return [...unknown, ...coming, ...held];
}

const factsOf = <Bot extends typeof items.botId | typeof transfers.botId | typeof unknownAssets.botId>(
  { appId, classId, typeTag, amount }: typeof items | typeof transferItems | typeof unknownAssets,
  botId: Bot,
) => ({ botId, appId, classId, typeTag, amount });

/** Counts the ready bots that have room for one asset of each class of which a bot has one at most. */
export async function countStackRoom(
  q: Reader,
  assets: readonly Stackable[],
  systemMs: number,
): Promise<ReadonlyMap<string, number>> {
  const room = await readStackRoom(q, assets);
  const single = new Map(assets.filter(room.isSingle).map((asset) => [classKeyOf(asset), asset]));
  if (single.size === 0) return new Map();
  const takingBots = await listTakingBots(q, systemMs);
  return new Map(
    [...single].map(([key, asset]) => [
      key,
      takingBots.filter(({ botId }) => room.hasRoom(botId, asset)).length,
    ]),
  );
}
