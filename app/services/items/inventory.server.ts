import { z } from 'zod';
import { processLog } from '#app/http/logger.server.ts';
import { callBot } from '#app/services/bot-client.server.ts';
import type { Asset } from '#db/schema/asset.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/**
 * The games whose items can be given away. Each reading takes turns at Steam, so those of some games are read only on
 * request.
 */
export const games = [
  { appId: 730, name: 'Counter-Strike 2', contextId: '2', isOnRequest: false },
  { appId: 440, name: 'Team Fortress 2', contextId: '2', isOnRequest: false },
  { appId: 252490, name: 'Rust', contextId: '2', isOnRequest: true },
  { appId: 570, name: 'Dota 2', contextId: '2', isOnRequest: true },
  { appId: 753, name: 'Steam', contextId: '6', isOnRequest: true },
] as const;

type Game = (typeof games)[number];

const AssetSchema = z.object({
  appId: z.number().int(),
  contextId: z.string(),
  assetId: z.string(),
  classId: z.string(),
  instanceId: z.string(),
  marketHashName: z.string(),
  name: z.string(),
  iconUrl: z.string(),
  typeLine: z.string(),
  typeTag: z.string(),
  rarityTag: z.string(),
  rarityColor: z.string(),
  exterior: z.string(),
  traits: z.string().default(''),
  traitIcons: z.string().default(''),
  wear: z.string().default(''),
  amount: z.number().int().min(1).default(1),
  tradable: z.boolean(),
  protectedUntilMs: z.number().nullish(),
});

const InventorySchema = z.object({
  items: z.array(AssetSchema),
  /** Age of the answer: the bot caches its readings. */
  ageMs: z.number().min(0),
  /** An earlier reading, because Steam could not be asked again now. */
  isPutOff: z.boolean().default(false),
  /** Set for the first pages of a large inventory: the others are being read, or one has failed. */
  part: z.object({ total: z.number().nullable(), isReading: z.boolean() }).optional(),
});

export type InventoryAsset = Asset & {
  tradable: boolean;
  protectedUntilMs?: number | null | undefined;
};
export interface Inventory {
  assets: InventoryAsset[];
  ageMs: number;
  isPutOff: boolean;
  part?: z.output<typeof InventorySchema>['part'];
}

/**
 * `inventoryPrivate`: its owner hides it, and only they can change that. `inventoryTooOften`: this account has read as
 * often as it may; `inventoryBusy`: everybody together has, or Steam says so. `inventoryIncomplete`: what is wanted
 * may be on a page that is not read yet; `botSilent`: the bot, which would ask Steam, does not answer.
 */
export type InventoryRefusal =
  | 'inventoryPrivate'
  | 'inventoryTooOften'
  | 'inventoryBusy'
  | 'inventoryIncomplete'
  | 'botSilent'
  | 'inventoryUnavailable';

/** The bot's codes that tell more than that the inventory is unavailable. */
const refusalOf: Record<string, InventoryRefusal> = {
  inventoryPrivate: 'inventoryPrivate',
  readTooOften: 'inventoryTooOften',
  steamBusy: 'inventoryBusy',
  unreachable: 'botSilent',
};

/**
 * Reads a Steam account's inventory of one game through the bot, which counts against its user's share of the
 * readings. `fresh` bypasses the bot's cache.
 */
export async function readInventory(
  { userId, steamId }: { userId: string; steamId: string },
  { appId, contextId }: Game,
  { fresh = false } = {},
): Promise<Outcome<{ inventory: Inventory }, InventoryRefusal>> {
  const query = new URLSearchParams({ userId, ...(fresh && { refresh: '1' }) });
  const answer = await callBot(`/inventories/${steamId}/${appId}/${contextId}?${query}`);
  if (!answer.ok) return refuse(refusalOf[answer.code] ?? 'inventoryUnavailable');
  const read = InventorySchema.safeParse(answer.body);
  if (!read.success) {
    processLog.error({ err: read.error }, 'the bot returned an invalid inventory');
    return refuse('inventoryUnavailable');
  }
  const { items: assets, ageMs, isPutOff, part } = read.data;
  return done({ inventory: { assets, ageMs, isPutOff, part } });
}

/** A game of which some items are listed, and others not yet. */
export interface GamePart {
  game: string;
  items: number;
  /** Null if Steam does not tell. */
  total: number | null;
  /** False after a page failed. */
  isReading: boolean;
}

interface Inventories {
  inventories: Inventory[];
  missing: string[];
  /** The refusal of the missing games that tells most; null if none is missing. */
  missingCode: InventoryRefusal | null;
  parts: GamePart[];
  ageMs: number;
  isPutOff: boolean;
}

export interface InventoryOptions {
  fresh?: boolean;
  appIds?: readonly number[];
  /** True to read the games that `appIds` names alone. */
  isOnlyThese?: boolean;
}

/**
 * The inventories of all games that are not read on request alone, and of those that `appIds` names. A game that could
 * not be read is listed in `missing`; if none could, the result is the refusal.
 */
export async function readInventories(
  account: { userId: string; steamId: string },
  { appIds = [], isOnlyThese = false, ...options }: InventoryOptions = {},
): Promise<Outcome<Inventories, InventoryRefusal>> {
  const wanted = games.filter(
    ({ appId, isOnRequest }) => appIds.includes(appId) || !(isOnlyThese || isOnRequest),
  );
  const answers = await Promise.all(wanted.map((game) => readInventory(account, game, options)));
  const inventories = answers.flatMap((answer) => (answer.ok ? [answer.inventory] : []));
  const missing = wanted.filter((_, place) => !answers[place]?.ok).map(({ name }) => name);
  const codes = new Set(answers.flatMap((answer) => (answer.ok ? [] : [answer.code])));
  const code = Object.values(refusalOf).find((each) => codes.has(each)) ?? 'inventoryUnavailable';
  if (inventories.length > 0 || wanted.length === 0)
    return done({
      inventories,
      missing,
      missingCode: missing.length > 0 ? code : null,
      parts: wanted.flatMap(({ name }, place) => partOf(name, answers[place])),
      ageMs: Math.max(0, ...inventories.map(({ ageMs }) => ageMs)),
      isPutOff: inventories.some(({ isPutOff }) => isPutOff),
    });
  return refuse(code);
}

function partOf(game: string, answer: Awaited<ReturnType<typeof readInventory>> | undefined): GamePart[] {
  const { part, assets } = (answer?.ok && answer.inventory) || {};
  return part && assets ? [{ game, items: assets.length, ...part }] : [];
}
