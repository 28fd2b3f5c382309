import { and, eq, inArray, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { hereOrBack, items } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { gamesWithStacks, isStackable } from '#domain/item/stackable.ts';
import { listTakingBots } from '#domain/transfer/spread-deposit.ts';

/** The facts that tell whether an asset could be merged with another. */
export type Stackable = Pick<Asset, 'appId' | 'classId' | 'typeTag' | 'amount'>;
type Class = Pick<Asset, 'appId' | 'classId'>;

/** Names an asset's class, in all games. */
export const classKeyOf = ({ appId, classId }: Class): string => `${appId}/${classId}`;

/**
 * The room that bots have for stacks. Stacks of one class that meet in an inventory may become one asset, so a bot gets no
 * second asset of such a class: what it holds counts, what may come back to it, and what deposits would bring.
 */
export class StackRoom {
  readonly #single: ReadonlySet<string>;
  readonly #taken: Set<string>;

  constructor(wanted: readonly Stackable[], present: readonly (Stackable & { botId: string })[]) {
    this.#single = new Set([...wanted, ...present].filter(isStackable).map(classKeyOf));
    this.#taken = new Set(present.map(({ botId, ...asset }) => `${botId} ${classKeyOf(asset)}`));
  }

  /** Returns whether a bot gets no second asset of this class. */
  isSingle = (asset: Class): boolean => this.#single.has(classKeyOf(asset));

  hasRoom = (botId: string, asset: Class): boolean =>
    !this.isSingle(asset) || !this.#taken.has(`${botId} ${classKeyOf(asset)}`);

  /** Returns whether a bot has room for all of these assets together. */
  hasRoomForAll(botId: string, assets: readonly Class[]): boolean {
    const single = assets.filter(this.isSingle);
    return (
      new Set(single.map(classKeyOf)).size === single.length &&
      single.every((asset) => this.hasRoom(botId, asset))
    );
  }

  /** Counts an asset that goes to this bot from now on. */
  add(botId: string, asset: Class): void {
    this.#taken.add(`${botId} ${classKeyOf(asset)}`);
  }
}

/**
 * Reads the room for these assets. `without` is a deposit that does not count, because it is the one that is to be placed.
 * A single piece needs room too if a bot has a stack of its class, so the stacks are read first.
 */
export async function readStackRoom(
  q: Reader,
  wanted: readonly Stackable[],
  { without = '' }: { without?: string } = {},
): Promise<StackRoom> {
  const appIds = gamesWithStacks(wanted);
  if (appIds.length === 0) return new StackRoom([], []);
  const botIds = (await q.select({ id: bots.id }).from(bots)).map(({ id }) => id);
  const places = { botIds, without };
  const present = await listPresent(q, ({ amount }) => sql`${amount} > 1`, { ...places, appIds });
  const single = new Set([...wanted, ...present].filter(isStackable).map(classKeyOf));
  for (const appId of appIds) {
    const ofGame = wanted.filter((asset) => asset.appId === appId && single.has(classKeyOf(asset)));
    const classIds = [...new Set(ofGame.map(({ classId }) => classId))];
    if (classIds.length === 0) continue;
    const which = ({ classId }: Facts) => isAmong(classId, classIds);
    present.push(...(await listPresent(q, which, { ...places, appIds: [appId] })));
  }
  return new StackRoom(wanted, present);
}

type Facts = Record<'classId' | 'amount', SQLWrapper>;

/**
 * Lists what bots have or will have of these games. An unknown asset may become an item meanwhile, and so may what a
 * deposit brings; each is read before what it becomes, so that none is overlooked.
 */
async function listPresent(
  q: Reader,
  which: (facts: Facts) => SQL,
  { botIds, appIds, without }: { botIds: readonly string[]; appIds: number[]; without: string },
): Promise<(Stackable & { botId: string })[]> {
  const unknown = await q
    .select(factsOf(unknownAssets, unknownAssets.botId))
    .from(unknownAssets)
    .where(
      and(isAmong(unknownAssets.botId, botIds), inArray(unknownAssets.appId, appIds), which(unknownAssets)),
    );
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
        inArray(transferItems.appId, appIds),
        which(transferItems),
      ),
    );
  const held = await q
    .select(factsOf(items, items.botId))
    .from(items)
    .where(
      and(
        isAmong(items.botId, botIds),
        within(items.state, hereOrBack),
        inArray(items.appId, appIds),
        which(items),
      ),
    );
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
