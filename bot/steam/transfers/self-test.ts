import { gameOf, openContextOf, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type {
  SentOffer,
  SentOfferList,
  SteamAccount,
  TradeHistory,
  TradeReport,
} from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import type { TestedEndpoint } from '#db/schema/self-test.ts';
import { recordSelfTest, type SelfTest } from '#domain/bot/record-self-test.ts';
import { hour } from '#domain/kernel/time.ts';
import { type BotTransfer, listBotTransfers, listNewestTrades } from '#domain/transfer/list-bot-transfers.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { holds, isForeignOffer, isOpen } from './own-offers.ts';
import { searchFromMs, type TransferWork } from './transfer-work.ts';

type Difference = SelfTest['difference'];
const keyOf = ({ endpoint, appId, offers }: SelfTest) => `${endpoint}/${appId}/${offers}`;

export interface SelfTester {
  round(): Promise<NextDue>;
  /** Compares once, and stores nothing. */
  look(): Promise<SelfTest[]>;
}

/**
 * Compares what Steam's endpoints show of offers that the bot knows: one open and one accepted offer of each game have to
 * look the same in the list, by their ids, on the page of sent offers, in the history and in the inventory. An endpoint
 * that shows something else of one offer twice, with a pause between, is doubted: nothing is concluded from it until it
 * agrees again.
 */
export function testEndpoints(work: TransferWork): SelfTester {
  let suspects = new Map<string, { test: SelfTest; atMs: number }>();
  const look = async () => {
    const account = work.account();
    return account ? readKnown(work, account) : [];
  };
  /** Time at which the same was first seen of the same offer; null if it is new. */
  const firstSeenMs = (test: SelfTest) => {
    const suspect = suspects.get(keyOf(test));
    const isSame = suspect?.test.difference === test.difference && suspect.test.offerId === test.offerId;
    return isSame ? suspect.atMs : null;
  };
  return {
    look,
    async round() {
      if (!work.account()) return null;
      const { deps, botId, pace } = work;
      const found = await look();
      const isSure = (test: SelfTest) => {
        const seenMs = firstSeenMs(test);
        const isSeenTwice = seenMs !== null && steadyMs() - seenMs >= pace.absenceMs;
        return test.difference === null || isSeenTwice;
      };
      const sure = found.filter(isSure);
      const unsure = found.filter((test) => !isSure(test));
      suspects = new Map(
        unsure.map((test) => [keyOf(test), { test, atMs: firstSeenMs(test) ?? steadyMs() }]),
      );
      const changed = await recordSelfTest(deps.db, { botId, tests: sure }, deps.clock.now());
      for (const { difference, ...test } of changed)
        if (difference === null) deps.log.info({ bot: botId, ...test }, 'an endpoint of Steam agrees again');
        else
          deps.log.error(
            { bot: botId, ...test, difference },
            'an endpoint of Steam does not show what others do; nothing is concluded from it',
          );
      return unsure.length > 0 ? pace.absenceMs : pace.selfTestMs;
    },
  };
}

type Known = BotTransfer & { offerId: string };
/** The answers that are read once for all known offers; null for one that could not be read. */
interface Shown {
  list: SentOfferList | null;
  page: readonly string[] | null;
  history: TradeHistory | null;
}

async function readKnown(work: TransferWork, account: SteamAccount): Promise<SelfTest[]> {
  const { deps, botId } = work;
  const { read } = deps.db;
  const open = oneOfEachGame(await listBotTransfers(read, { botId, states: ['sent'] }));
  const accepted = oneOfEachGame(await listNewestTrades(read, { botId }, deps.clock.now()));
  if (open.size + accepted.size === 0) return [];
  const shown = await readShown(work, account, [...open.values()], [...accepted.values()]);
  const tests: SelfTest[] = [];
  for (const [appId, known] of open)
    for (const [endpoint, difference] of await testOpen(account, known, shown))
      tests.push({ endpoint, appId, offers: 'open', difference, offerId: known.offerId });
  for (const [appId, known] of accepted)
    for (const [endpoint, difference] of await testAccepted(account, known, shown))
      tests.push({ endpoint, appId, offers: 'accepted', difference, offerId: known.offerId });
  return tests;
}

/** The first of these transfers of each game; those of several games are left out. */
function oneOfEachGame(transfers: readonly BotTransfer[]): Map<number, Known> {
  const found = new Map<number, Known>();
  for (const transfer of transfers) {
    const [game, ...others] = new Set(transfer.assets.map(({ appId }) => appId));
    const { offerId } = transfer;
    if (game === undefined || others.length > 0 || offerId === null || found.has(game)) continue;
    found.set(game, { ...transfer, offerId });
  }
  return found;
}

async function readShown(
  work: TransferWork,
  account: SteamAccount,
  open: readonly Known[],
  accepted: readonly Known[],
): Promise<Shown> {
  const sinceMs = (of: readonly Known[]) =>
    Math.min(...of.map(({ createdAtMs }) => searchFromMs(work, account, createdAtMs))) - hour;
  const list = await account.offersSince(sinceMs([...open, ...accepted]));
  const page = open.length > 0 ? await account.visitSentOffers() : null;
  const history = accepted.length > 0 ? await account.tradesSince(sinceMs(accepted)) : null;
  return {
    list: list.ok ? list.value : null,
    page: page?.ok ? page.value : null,
    history: history?.ok ? history.value : null,
  };
}

type Findings = Map<TestedEndpoint, Difference>;

/** Nothing is found if Steam says by its id that the offer has ended, unless the list says otherwise. */
async function testOpen(account: SteamAccount, known: Known, { list, page }: Shown): Promise<Findings> {
  const found: Findings = new Map();
  const { offerId } = known;
  const row = list?.offers.find((each) => each.offerId === offerId);
  const single = await account.offer(offerId);
  if (single.ok && !isOpen(single.value)) {
    if (row && isOpen(row)) found.set('offer', 'state').set('list', 'state');
    return found;
  }
  if (single.ok) found.set('offer', isOther(known, single.value) ? 'contents' : null);
  else if (single.code === 'offerUnknown') found.set('offer', 'absent');
  if (row) found.set('list', !isOpen(row) ? 'state' : isOther(known, row) ? 'contents' : null);
  else if (list?.unreadable === 0) found.set('list', 'absent');
  if (page) found.set('page', page.includes(offerId) ? null : 'absent');
  // Steam ends an offer of ours as soon as its items are not there.
  if (known.kind !== 'deposit' && single.ok && single.value.state === 'Active') {
    const assetIds = known.assets.map(({ assetId }) => assetId);
    const isHere = await isInInventory(account, known, assetIds);
    if (isHere !== null) found.set('inventory', isHere ? null : 'absent');
  }
  return found;
}

const isOther = (known: Known, offer: SentOffer) => isForeignOffer(known, offer) || !holds(offer, known);

/** Nothing is found unless Steam says by its id that the trade stands. */
async function testAccepted(
  account: SteamAccount,
  known: Known,
  { list, history }: Shown,
): Promise<Findings> {
  const found: Findings = new Map();
  const { offerId, tradeId } = known;
  const trade = tradeId === null ? null : await account.getTrade(tradeId);
  if (tradeId === null || !trade?.ok || trade.value.standing !== 'complete') return found;
  const single = await account.offer(offerId);
  if (single.ok) found.set('offer', differenceOfAccepted(known, single.value));
  else if (single.code === 'offerUnknown') found.set('offer', 'absent');
  const row = list?.offers.find((each) => each.offerId === offerId);
  if (row) found.set('list', differenceOfAccepted(known, row));
  else if (list?.unreadable === 0) found.set('list', 'absent');
  if (history) found.set('history', differenceInHistory(known, tradeId, trade.value, history));
  const inventory = await differenceInInventory(account, known);
  if (inventory !== undefined) found.set('inventory', inventory);
  return found;
}

const differenceOfAccepted = (known: Known, offer: SentOffer): Difference =>
  offer.state !== 'Accepted' ? 'state' : isForeignOffer(known, offer) ? 'contents' : null;

function differenceInHistory(
  { partnerSteamId, assets }: Known,
  tradeId: string,
  trade: TradeReport,
  { trades, parties }: TradeHistory,
): Difference {
  const row = trades.get(tradeId);
  const named = parties.get(tradeId);
  if (!row || !named) return 'absent';
  if (row.standing !== trade.standing) return 'state';
  const isPartner = named.partnerSteamId === null || named.partnerSteamId === partnerSteamId;
  const hasAll = assets.every(({ appId, assetId }) =>
    named.assets.some((each) => each.appId === appId && each.assetId === assetId),
  );
  return isPartner && hasAll ? null : 'contents';
}

/**
 * Compares the inventory with an accepted trade: the items of a deposit cannot leave while they are protected, and those
 * that the bot gave are not here any more. Undefined if that cannot be told.
 */
async function differenceInInventory(account: SteamAccount, known: Known): Promise<Difference | undefined> {
  if (known.kind !== 'deposit') {
    const assetIds = known.assets.map(({ assetId }) => assetId);
    const isAnyHere = await isInInventory(account, known, assetIds, 'some');
    return isAnyHere === null ? undefined : isAnyHere ? 'contents' : null;
  }
  const arrived = known.assets.flatMap(({ newAssetId }) => newAssetId ?? []);
  if (arrived.length < known.assets.length) return undefined;
  const isHere = await isInInventory(account, known, arrived);
  return isHere === null ? undefined : isHere ? null : 'absent';
}

/** Returns whether all, or some, of these assets are in the bot's inventory; null if that cannot be read. */
async function isInInventory(
  account: SteamAccount,
  { assets: [asset] }: Known,
  assetIds: readonly string[],
  which: 'every' | 'some' = 'every',
): Promise<boolean | null> {
  const appId = asset?.appId ?? 0;
  if (!gameOf(appId)) return null;
  const here = new Set<string>();
  for (const context of [openContextOf(appId), PROTECTED_CONTEXT]) {
    const items = await account.inventory(account.steamId, appId, context);
    if (!items.ok || items.isShort) return null;
    for (const { assetId } of items.value) here.add(assetId);
  }
  return assetIds[which]((assetId) => here.has(assetId));
}
