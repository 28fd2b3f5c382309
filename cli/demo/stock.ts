import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import type { DemoPanel } from './panel.ts';
import { until } from './until.ts';

const DEADLINE_MS = 20_000;

/** The address of the bot's API, and its secret. */
export interface BotApi {
  url: string;
  secret: string;
}

interface Stocking {
  db: Database;
  panel: DemoPanel;
  bot: BotApi;
  streamer: { userId: string; steamId: string };
}

/** Deposits items like a streamer: picks them, requests the offer and accepts it on Steam. */
export async function stock(
  around: Stocking,
  pick: { appId: number; perKind: number; kinds: number; skip: number },
) {
  const { db, panel, streamer } = around;
  const assets = await pickAssets(around, pick);
  const requestId = newId(Date.now());
  const { nowMs } = await panel.get<{ nowMs: number }>('/world.json');
  await until(async () => {
    const request = { requestId, userId: streamer.userId, assets };
    const asked = await requestDeposit(db, request, nowMs, Date.now());
    if (!asked.ok && asked.code !== 'noBotAvailable')
      throw new Error(`the demo deposit was refused: ${asked.code}`);
    return asked.ok ? true : null;
  }, 'a bot that takes the demo items');
  await ask(around.bot, '/nudge', 'POST');
  const sent = await until(async () => {
    const [transfer] = await db.read.select().from(transfers).where(eq(transfers.id, requestId));
    if (transfer?.state === 'failed') throw new Error(`the demo deposit failed: ${transfer.lastError}`);
    return transfer?.state === 'sent' ? transfer.offerId : null;
  }, 'the offer for the demo items');
  await panel.post(`/steam/users/${streamer.steamId}/offers/${sent}/accept`, {});
  await until(async () => {
    const [transfer] = await db.read.select().from(transfers).where(eq(transfers.id, requestId));
    return transfer?.state === 'accepted' || transfer?.state === 'settled' ? true : null;
  }, 'the demo items');
}

const ask = ({ url, secret }: BotApi, path: string, method = 'GET') =>
  fetch(`${url}${path}`, {
    method,
    headers: { 'X-Bot-Secret': secret },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });

/** The first tradable items of the inventory's first kinds. */
async function pickAssets(
  { bot, streamer }: Stocking,
  { appId, perKind, kinds, skip }: { appId: number; perKind: number; kinds: number; skip: number },
): Promise<Asset[]> {
  const items = await until(async () => {
    const response = await ask(bot, `/inventories/${streamer.steamId}/${appId}/2?userId=${streamer.userId}`);
    return response.ok
      ? ((await response.json()) as { items: (Asset & { tradable: boolean })[] }).items
      : null;
  }, 'a bot that reads inventories');
  const tradable = items.filter((item) => item.tradable);
  const names = [...new Set(tradable.map((item) => item.marketHashName))].slice(skip, skip + kinds);
  return names.flatMap((name) => tradable.filter((item) => item.marketHashName === name).slice(0, perKind));
}
