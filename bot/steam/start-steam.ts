import { AccountShares } from '#bot/account-shares.ts';
import type { BotPart, PartReport } from '#bot/deps.ts';
import { endsWithin } from '#bot/end-all.ts';
import type { LeasedDeps, LeasedPart } from '#bot/leases.ts';
import { InventoryReader, LONGEST_VISIT_MS } from '#bot/steam/inventory-reader.ts';
import { createLimiter, createLimiters, steamPaces } from '#bot/steam/limiters.ts';
import type { HoldDurations, SteamAnswer } from '#bot/steam/steam-account.ts';
import { SteamBot } from '#bot/steam/steam-bot.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { instanceTagOf } from '#bot/steam/transfers/offer-message.ts';
import { OwnInventory } from '#bot/steam/transfers/own-inventory.ts';
import { Patience } from '#bot/steam/transfers/patience.ts';
import { startTransferWorkers, type TransferWorkers } from '#bot/steam/transfers/start-transfer-workers.ts';
import { type ReadStanding, transferPace } from '#bot/steam/transfers/transfer-work.ts';
import { atIntervals, startWorker, type Worker } from '#bot/worker.ts';
import { isEndpointDoubted } from '#domain/bot/list-self-tests.ts';
import { HEARTBEAT_INTERVAL_MS } from '#domain/bot/record-heartbeat.ts';
import type { SelfTest } from '#domain/bot/record-self-test.ts';
import { recordUsedBots } from '#domain/bot/record-used-bots.ts';
import { tradeLinkChecks } from '#domain/budget/budgets.ts';
import { second } from '#domain/kernel/time.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';

/** All intervals and rate limits; tests use shorter ones. */
export const steamPace = {
  heartbeatMs: HEARTBEAT_INTERVAL_MS,
  refusalPauseMs: 15_000,
  services: steamPaces,
  transfers: transferPace,
};
export type SteamPace = typeof steamPace;

export interface SteamPart extends BotPart {
  /** Tests each bot that is logged on, by what Steam's endpoints show of known offers; stores nothing. */
  testNow(): Promise<Record<string, SelfTest[]>>;
  inventories: Pick<InventoryReader, 'read'>;
  /** Checks whether a trade link works, and how long Steam would hold items traded over it. */
  readiness(asked: {
    userId: string;
    steamId: string;
    tradeToken: string;
    botId?: string | undefined;
  }): Promise<SteamAnswer<HoldDurations>>;
}

/** At a stop, calls to Steam have this long to be answered. They are aborted then, and their end has this long to be stored. */
const [FINISH_MS, REPORT_MS] = [second, second / 2];

interface StartedBot {
  bot: SteamBot;
  workers: TransferWorkers;
}

/**
 * Starts every configured trade bot with its session and transfer workers, under the lease `steam`. Without
 * `readStanding`, claims are checked as if Twitch did not answer.
 */
export function startSteam(
  deps: LeasedDeps,
  pace: SteamPace = steamPace,
  readStanding: ReadStanding = async () => ({}),
): SteamPart {
  // A process that has the lease again is another holder of its sendings.
  const holder = `${deps.lease.holder}:${deps.lease.epoch}`;
  const instanceTag = instanceTagOf(deps.config.encryptionKey);
  const stopping = new AbortController();
  const aborting = new AbortController();
  const limiters = createLimiters(pace.services, stopping.signal);
  const started = deps.config.steam.bots.map((credentials) => startBot(credentials));
  if (started.length === 0) deps.log.warn('no trade bots are configured: Steam is off');
  const tending = startWorker({
    name: 'tend-bots',
    everyMs: pace.heartbeatMs,
    run: atIntervals(pace.heartbeatMs, () => tendAll(deps, started)),
    longestPauseMs: 2 * pace.heartbeatMs,
    log: deps.log,
  });

  function startBot(credentials: SteamCredentials): StartedBot {
    const bot: SteamBot = new SteamBot({
      deps,
      credentials,
      limiters: { ...limiters, confirmations: createLimiter(pace.services.confirmations, stopping.signal) },
      pollIntervalMs: pace.transfers.pollMs,
      refusalPauseMs: pace.refusalPauseMs,
      callLeftMs: () => (aborting.signal.aborted ? 0 : deps.lease.leftMs()),
      onReady: () => workers.handleReady(),
      onOfferChanged: (offerId) => workers.handleOfferChange(offerId),
    });
    const workers = startTransferWorkers({
      deps,
      botId: bot.id,
      holder,
      instanceTag,
      pace: pace.transfers,
      account: () => bot.account,
      pollEvery: (ms) => bot.pollEvery(ms),
      inventory: new OwnInventory((appId) =>
        isEndpointDoubted(deps.db.read, { botId: bot.id, endpoint: 'inventory', appIds: [appId] }),
      ),
      patience: new Patience(),
      readStanding,
    });
    return { bot, workers };
  }

  const checks = new AccountShares(tradeLinkChecks);
  const accounts = () => started.flatMap(({ bot }) => bot.account ?? []);
  return {
    inventories: new InventoryReader(accounts),
    async readiness({ userId, steamId, tradeToken, botId }) {
      const asked = started.filter(({ bot }) => botId === undefined || bot.id === botId);
      const [account] = asked.flatMap(({ bot }) => bot.account ?? []);
      if (!account) return failure('steamUnavailable', 'later', 'no such bot is ready');
      if (checks.take([userId, steamId]).waitMs > 0)
        return failure('steamBusy', 'later', 'this account asks too often');
      return account.holdDurations(steamId, tradeToken, { account: userId, maxWaitMs: LONGEST_VISIT_MS });
    },
    testNow: () => testAll(started),
    report: () => reportOf(started),
    nudge() {
      for (const { workers } of started) workers.nudge();
    },
    stop: () => stopAll(deps, { stopping, aborting }, tending, started),
  };
}

async function stopAll(
  { lease, log }: LeasedDeps,
  { stopping, aborting }: Record<'stopping' | 'aborting', AbortController>,
  tending: Worker,
  started: readonly StartedBot[],
): Promise<void> {
  // Calls that wait for their turn at Steam are left to the process that goes on.
  stopping.abort();
  // These sessions would end those of the process that has the lease now.
  if (lease.isLost()) for (const { bot } of started) bot.leave();
  // Running work finishes before the sessions that it needs are closed, if it can.
  const ended = Promise.all([tending.stop(), ...started.map(({ workers }) => workers.stop())]);
  if (!(await endsWithin(FINISH_MS, ended))) {
    // An offer that was being sent is uncertain then, and the next process searches for it.
    aborting.abort();
    if (!(await endsWithin(REPORT_MS, ended)))
      log.warn('work on Steam takes too long; what it writes from now on is refused');
  }
  await Promise.all(started.map(({ bot }) => bot.stop()));
}

async function testAll(started: readonly StartedBot[]): Promise<Record<string, SelfTest[]>> {
  const ready = started.filter(({ bot }) => bot.account);
  const tests = ready.map(async ({ bot, workers }) => [bot.id, await workers.testNow()] as const);
  return Object.fromEntries(await Promise.all(tests));
}

/** Records all bots in one transaction, then lets each bot log on when due. One bot's failure does not affect the others. */
async function tendAll({ db, clock, lease, log }: LeasedDeps, started: readonly StartedBot[]): Promise<void> {
  if (!lease.isHeld()) return;
  const systemMs = Date.now();
  const used = started.map(({ bot }) => ({ botId: bot.id, isReady: bot.isReady }));
  await recordUsedBots(db, { epoch: lease.epoch, used }, { nowMs: clock.now(), systemMs });
  await Promise.all(
    started.map(({ bot }) =>
      bot
        .tend(systemMs)
        .catch((error) =>
          log.error(
            { err: error, bot: bot.id },
            'the bot could not log on or off; retrying at the next heartbeat',
          ),
        ),
    ),
  );
}

/** The trade bots of this process while it has their lease; nobody reads or asks Steam without it. */
export function steamWhileHeld(part: LeasedPart<SteamPart>): SteamPart {
  const absent = failure('steamUnavailable', 'later', 'another process has the trade bots');
  return {
    report: part.report,
    nudge: part.nudge,
    stop: part.stop,
    testNow: async () => part.current()?.testNow() ?? {},
    inventories: { read: async (...asked) => part.current()?.inventories.read(...asked) ?? absent },
    readiness: async (asked) => part.current()?.readiness(asked) ?? absent,
  };
}

/** Steam is ready when at least one bot is; each bot is also listed by name. */
function reportOf(started: readonly StartedBot[]): Record<string, PartReport> {
  if (started.length === 0) return { steam: { state: 'off', detail: 'STEAM_BOTS_FILE is not set' } };
  const each = started.map(({ bot }) => [`steam: ${bot.id}`, bot.report()] as const);
  const states = each.map(([, report]) => report.state);
  const state = states.includes('ready') ? 'ready' : states.includes('starting') ? 'starting' : 'faulty';
  return { steam: { state }, ...Object.fromEntries(each) };
}
