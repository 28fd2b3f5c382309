import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorldState } from '#sandbox/steam/state.ts';

/**
 * Moves one asset of a bot to somebody else in the sandbox's file, as if it had been traded behind the product's back.
 * The processes must have ended. Returns the asset's id; null if no bot has any.
 */
export function plantFault(sandboxFolder: string, tradeBots: readonly string[]): string | null {
  const file = join(sandboxFolder, 'steam.json');
  const steam = JSON.parse(readFileSync(file, 'utf8')) as WorldState;
  const bot = steam.people.find(({ steamId, items }) => tradeBots.includes(steamId) && items.length > 0);
  const other = steam.people.find(({ steamId }) => !tradeBots.includes(steamId));
  const asset = bot?.items.shift();
  if (!asset || !other) return null;
  other.items.push(asset);
  writeFileSync(file, JSON.stringify(steam));
  return asset.assetid;
}
