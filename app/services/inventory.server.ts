import { z } from 'zod';
import type { Asset } from '#db/schema/asset.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { askBot } from './bot-client.server.ts';
import { processLog } from './logger.server.ts';

/** The games whose items can be given away, by the names of their own. */
export const games = [
  { appId: 730, name: 'Counter-Strike 2' },
  { appId: 440, name: 'Team Fortress 2' },
] as const;

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
  tradable: z.boolean(),
  protectedUntilMs: z.number().nullish(),
});

const InventorySchema = z.object({
  items: z.array(AssetSchema),
  /** When Steam was asked: the bot keeps answers for a while. */
  readAtMs: z.number(),
});

export type InventoryAsset = Asset & { tradable: boolean; protectedUntilMs?: number | null | undefined };
export interface Inventory {
  assets: InventoryAsset[];
  readAtMs: number;
}

/** `inventoryPrivate`: its owner hides it, and only they can change that. */
export type InventoryRefusal = 'inventoryPrivate' | 'inventoryUnavailable';

/** A Steam account's inventory of one game, read through the bot. `fresh` asks Steam anew. */
export async function readInventory(
  { steamId, appId }: { steamId: string; appId: number },
  { fresh = false } = {},
): Promise<Outcome<{ inventory: Inventory }, InventoryRefusal>> {
  const answer = await askBot(`/inventories/${steamId}/${appId}/2${fresh ? '?fresh=1' : ''}`);
  if (!answer.ok)
    return refuse(answer.code === 'inventoryPrivate' ? 'inventoryPrivate' : 'inventoryUnavailable');
  const read = InventorySchema.safeParse(answer.body);
  if (!read.success) {
    processLog.error({ err: read.error }, 'the bot answered with an inventory that cannot be read');
    return refuse('inventoryUnavailable');
  }
  return done({ inventory: { assets: read.data.items, readAtMs: read.data.readAtMs } });
}
