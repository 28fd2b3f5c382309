import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { transfers } from '#db/schema/transfer.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { ask, type BotApi } from './bot-api.ts';
import type { DemoPanel } from './panel.ts';
import { until } from './until.ts';

export interface Trading {
  db: Database;
  panel: DemoPanel;
  bot: BotApi;
}

/** Somebody with an account here and on Steam. */
export interface Trader {
  userId: string;
  steamId: string;
}

/** The amounts to pick from an inventory: so many pieces of each of its first kinds, after those that are left out. */
interface Amounts {
  perKind: number;
  kinds: number;
  skip: number;
}

/** Deposits items like a streamer: picks them, requests the offer and accepts it on Steam. */
export async function stock(
  around: Trading,
  streamer: Trader,
  { requestId, appId, ...amounts }: Amounts & { requestId: string; appId: number },
): Promise<void> {
  const assets = pickAssets(await readTradable(around, streamer, appId), amounts);
  await deposit(around, streamer, { requestId, assets });
}

/** Requests the offer for a deposit and accepts it on Steam. Doing it again changes nothing. */
export async function deposit(
  around: Trading,
  streamer: Trader,
  { requestId, assets }: { requestId: string; assets: readonly Asset[] },
): Promise<void> {
  const { db, panel } = around;
  const { userId } = streamer;
  const { nowMs } = await panel.get<{ nowMs: number }>('/world.json');
  await until(async () => {
    if (await findTransferOf(db.read, requestId, userId)) return true;
    const asked = await requestDeposit(db, { requestId, userId, assets }, nowMs, Date.now());
    if (!asked.ok && asked.code !== 'noBotAvailable')
      throw new Error(`the demo deposit was refused: ${asked.code}`);
    return asked.ok ? true : null;
  }, 'a bot that takes the demo items');
  await ask(around.bot, '/nudge', 'POST');
  await acceptOffer(around, requestId, streamer);
}

/** Accepts the offer of a transfer on Steam, as its receiver would, and waits until the product knows. */
export async function acceptOffer(
  { db, panel }: Trading,
  transferId: string,
  { steamId }: Trader,
): Promise<void> {
  const look = async () => {
    const [transfer] = await db.read.select().from(transfers).where(eq(transfers.id, transferId));
    if (transfer?.state === 'failed') throw new Error(`a demo offer failed: ${transfer.lastError}`);
    return { ...transfer, isAccepted: transfer?.state === 'accepted' || transfer?.state === 'settled' };
  };
  const sent = await until(async () => {
    const { state, isAccepted, offerId } = await look();
    return state === 'sent' || isAccepted ? (offerId ?? null) : null;
  }, 'an offer of the demo');
  let refusal: unknown;
  const isOver = async () => {
    if ((await look()).isAccepted) return true;
    // An earlier start may have accepted it already, which the product learns as well.
    await panel.post(`/steam/users/${steamId}/offers/${sent}/accept`, {}).catch((error: unknown) => {
      refusal = error;
    });
    return null;
  };
  await until(isOver, 'the items of a demo offer').catch((error: unknown) => {
    throw new Error(String(error), { cause: refusal });
  });
}

/** Reads the tradable items of an inventory through the bot. */
export async function readTradable(
  { bot }: Pick<Trading, 'bot'>,
  { userId, steamId }: Trader,
  appId: number,
): Promise<Asset[]> {
  const items = await until(async () => {
    const response = await ask(bot, `/inventories/${steamId}/${appId}/2?userId=${userId}`);
    return response.ok
      ? ((await response.json()) as { items: (Asset & { tradable: boolean })[] }).items
      : null;
  }, 'a bot that reads inventories');
  return items.filter((item) => item.tradable);
}

export function pickAssets(tradable: readonly Asset[], { perKind, kinds, skip }: Amounts): Asset[] {
  const names = [...new Set(tradable.map((item) => item.marketHashName))].slice(skip, skip + kinds);
  return names.flatMap((name) => tradable.filter((item) => item.marketHashName === name).slice(0, perKind));
}
