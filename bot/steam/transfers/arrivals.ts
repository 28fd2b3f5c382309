import { PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type {
  SentOffer,
  SentOfferList,
  SteamAccount,
  SteamAnswer,
  TradeReport,
} from '#bot/steam/steam-account.ts';
import { listCustodyAssets } from '#domain/item/list-custody-assets.ts';
import { hour } from '#domain/kernel/time.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import { isDoubted } from './doubts.ts';
import { searchFromMs, type TransferWork } from './transfer-work.ts';
import { assignByClass, readUnknownAssets } from './unknown-assets.ts';

/**
 * Finds the assets of an accepted deposit: under the ids that Steam reports, or else, after a while, as new
 * assets in the bot's inventory. Null while they are not known.
 */
export async function readArrivals(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  trade: TradeReport,
  settlesAtMs: number | undefined,
): Promise<MovedAsset[] | null> {
  const arrived: MovedAsset[] = [];
  for (const appId of new Set(transfer.assets.map((asset) => asset.appId))) {
    const wanted = { appId, assets: transfer.assets.filter((asset) => asset.appId === appId) };
    const reported = await reportedOf(work, wanted, trade);
    const found = reported ?? (await foundOf(work, account, { transfer, trade, wanted }));
    if (!found) return null;
    arrived.push(...found);
  }
  work.patience.end(arrivalOf(transfer));
  return withProtection(work, account, arrived, settlesAtMs);
}

/** The inventory is left alone for at most this long after it did not show an accepted deposit. */
const LONGEST_PAUSE_MS = hour;

/** Returns whether an accepted deposit was not found in the inventory, and is searched for again later. */
export const isArrivalPaused = (work: TransferWork, transfer: BotTransfer): boolean =>
  work.patience.isPaused(arrivalOf(transfer));

const arrivalOf = ({ id }: BotTransfer) => `arrival of ${id}`;

/** The assets of a deposit in one game. */
type Wanted = Pick<BotTransfer, 'assets'> & { appId: number };

/** Null if Steam does not report all ids, or reports one under which another deposit was recorded earlier. */
async function reportedOf(
  work: TransferWork,
  { appId, assets }: Wanted,
  { moved }: TradeReport,
): Promise<MovedAsset[] | null> {
  const reported = assets.flatMap(
    ({ assetId }) => moved.find((asset) => asset.appId === appId && asset.assetId === assetId) ?? [],
  );
  if (reported.length < assets.length) return null;
  const known = await listCustodyAssets(work.deps.db.read, { botId: work.botId, appId });
  return reported.some(({ newAssetId }) => known.has(newAssetId)) ? null : reported;
}

/** Returns whether Steam has had the time to report a trade's new ids, also before this process began. */
function isLate(
  { deps, pace, patience }: TransferWork,
  { clockAheadMs }: SteamAccount,
  arrival: string,
  { madeAtMs = Number.POSITIVE_INFINITY }: TradeReport,
): boolean {
  const isOver = patience.isOver(arrival, pace.arrivalMs);
  return isOver || deps.clock.now() + clockAheadMs - madeAtMs >= pace.arrivalMs;
}

async function foundOf(
  work: TransferWork,
  account: SteamAccount,
  {
    transfer,
    trade,
    wanted: { appId, assets },
  }: { transfer: BotTransfer; trade: TradeReport; wanted: Wanted },
): Promise<MovedAsset[] | null> {
  const arrival = arrivalOf(transfer);
  if (!isLate(work, account, arrival, trade) || work.patience.isPaused(arrival)) return null;
  const { arrivalRetryMs: firstMs } = work.pace;
  // A reading begun since the deposit was seen accepted shows it, so one serves all that wait.
  const unknown = await readUnknownAssets(work, account, appId, work.patience.ageMs(arrival));
  const taken = unknown.ok ? await arrivalsOfOthers(work, account, transfer) : null;
  const free = unknown.ok && taken ? unknown.value.filter(({ assetId }) => !taken.has(assetId)) : [];
  const assigned = assignByClass(assets, free);
  if (!assigned) {
    const isWhole = unknown.ok && !unknown.isShort && taken !== null;
    // A reading that is not whole does not say that the deposit is missing.
    work.patience.pause(arrival, { firstMs, longestMs: isWhole ? LONGEST_PAUSE_MS : firstMs });
    work.inventory.clear();
    work.deps.log.warn({ transfer: transfer.id, isWhole }, 'an accepted deposit is not in the inventory yet');
    return null;
  }
  work.deps.log.info({ transfer: transfer.id }, "Steam does not tell a deposit's new ids; took what arrived");
  return [...assigned].map(([{ assetId }, asset]) => ({
    appId,
    assetId,
    newAssetId: asset.assetId,
    newContextId: asset.contextId,
  }));
}

/**
 * Reads the new ids that Steam reports for other deposits that are not recorded yet; null if they cannot be
 * read. Must be read after the inventory, so that everything in the inventory has been traded by then.
 */
async function arrivalsOfOthers(
  work: TransferWork,
  account: SteamAccount,
  { id }: BotTransfer,
): Promise<Set<string> | null> {
  const states = ['uncertain', 'sent', 'escrowed'] as const;
  const open = await listBotTransfers(work.deps.db.read, { botId: work.botId, states });
  const others = open.filter((other) => other.kind === 'deposit' && other.id !== id && other.offerId);
  const readOffer = offerReader(work, account, others);
  const taken = new Set<string>();
  for (const other of others) {
    const offer = await readOffer(other);
    if (!offer) return null;
    if (offer.state !== 'Accepted' || !offer.tradeId) continue;
    const trade = await account.getTrade(offer.tradeId);
    if (!trade.ok) return null;
    for (const { newAssetId } of trade.value.moved) taken.add(newAssetId);
  }
  return taken;
}

/**
 * Returns a reader of these deposits' offers: by their ids, and of those that Steam does not give so, or while that is
 * doubted, in its list, which is read once for all. It gives null for an offer that neither shows.
 */
function offerReader(work: TransferWork, account: SteamAccount, deposits: readonly BotTransfer[]) {
  const oldestMs = deposits.reduce((ms, { createdAtMs }) => Math.min(ms, createdAtMs), Number.MAX_VALUE);
  let list: Promise<SteamAnswer<SentOfferList>> | null = null;
  return async (deposit: BotTransfer): Promise<SentOffer | null> => {
    const { offerId } = deposit;
    const offer = await account.offer(offerId ?? '');
    if (offer.ok && !(await isDoubted(work, 'offer', deposit))) return offer.value;
    if (!offer.ok && offer.code !== 'offerUnknown') return null;
    list ??= account.offersSince(searchFromMs(work, account, oldestMs) - hour);
    const listed = await list;
    return (listed.ok && listed.value.offers.find((each) => each.offerId === offerId)) || null;
  };
}

/**
 * Adds the time until which each deposited asset is protected: its own date or the trade's settlement, whichever is
 * later.
 */
async function withProtection(
  work: TransferWork,
  account: SteamAccount,
  assets: readonly MovedAsset[],
  settlesAtMs: number | undefined,
): Promise<MovedAsset[]> {
  const dates = new Map<MovedAsset, number>();
  for (const appId of new Set(assets.map((asset) => asset.appId))) {
    const inGame = assets.filter((asset) => asset.appId === appId);
    const held = inGame.filter(({ newContextId }) => newContextId === PROTECTED_CONTEXT);
    for (const [asset, untilMs] of await protectionDates(work, account, held)) dates.set(asset, untilMs);
  }
  return assets.map((asset) => {
    const protectedUntilMs = Math.max(dates.get(asset) ?? 0, settlesAtMs ?? 0);
    return { ...asset, ...(protectedUntilMs > 0 && { protectedUntilMs }) };
  });
}

/** Finds the own dates of assets in one game's protected context. A reading that lacks any is repeated once for all. */
async function protectionDates(
  work: TransferWork,
  account: SteamAccount,
  assets: readonly MovedAsset[],
): Promise<Map<MovedAsset, number>> {
  const [first] = assets;
  if (!first) return new Map();
  const find = async (maxAgeMs?: number) => {
    const read = await work.inventory.read(account, first.appId, PROTECTED_CONTEXT, maxAgeMs);
    const there = new Map(read.ok ? read.value.map((item) => [item.assetId, item]) : []);
    return assets.map((asset) => [asset, there.get(asset.newAssetId)] as const);
  };
  let found = await find();
  if (found.some(([, item]) => !item)) found = await find(0);
  return new Map(found.map(([asset, item]) => [asset, item?.protectedUntilMs ?? 0]));
}
