import { unlimited } from '#bot/call-in-time.ts';
import type { BotDeps, BotPart, PartReport } from '#bot/deps.ts';
import { endAll } from '#bot/end-all.ts';
import type { SharedSlots, Slots, SlotWork } from '#bot/slots.ts';
import type { CallTime } from '#bot/twitch/api.ts';
import { countAudiences } from '#bot/twitch/channel/audience-counter.ts';
import { botAccounts } from '#bot/twitch/channel/bot-accounts.ts';
import { watchChatters } from '#bot/twitch/channel/chatter-watcher.ts';
import { sweepHourly } from '#bot/twitch/channel/sweep-hourly.ts';
import { type ReadWatched, watchedChannelsOf } from '#bot/twitch/channel/watched-channels.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { type TwitchPace, usualPace } from '#bot/twitch/pace/twitch-pace.ts';
import { startWorker } from '#bot/worker.ts';
import { SLOTS } from '#domain/bot/take-slots.ts';

/** The work in the slots of this process. */
export interface Watching extends BotPart, SlotWork {}

/** Starts watching the chats of this process's channels: who is in them, and who therefore meets a rule. */
export function startWatching(
  deps: BotDeps,
  slots: Slots,
  pace: TwitchPace = usualPace,
  watched: ReadWatched = watchedChannelsOf(deps.db),
): Watching {
  const { clientId, clientSecret, authUrl, botLogins, ignoredLogins } = deps.config.twitch;
  if (!clientId || !clientSecret) return watchingOff;
  const { log, changes } = deps;
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl });
  // A grant is renewed and marked as dead by itself, whoever uses it.
  const leftMs: CallTime = (channelId) => (channelId === null ? unlimited() : slots.leftMs(channelId));
  const { api, onFault } = openTwitchAccess(deps, { clientId, oauth, leftMs });
  const mine: ReadWatched = async () => (await watched()).filter(({ id }) => slots.leaseOf(id) !== null);
  const common = { ...deps, slots, api, onFault, watched: mine };
  const bots = botAccounts({ ...common, moreLogins: [...botLogins, ...ignoredLogins] });
  const viewers = watchChatters({
    ...common,
    isBot: bots.isBot,
    maxChannels: deps.config.watchedAtOnce,
    roundEveryMs: pace.watchMs,
    retryAfterMs: pace.retryAfterMs,
    wake: () => watchingChatters.nudge(),
  });
  const watchingChatters = startWorker({
    name: 'watch-chatters',
    everyMs: pace.watchMs,
    run: viewers.round,
    changes,
    log,
  });
  const { followMs: everyMs } = pace;
  const workers = [
    watchingChatters,
    startWorker({ name: 'sweep-channels', everyMs, run: sweepHourly(common), changes, log }),
    startWorker({
      name: 'count-audiences',
      everyMs,
      run: countAudiences({ ...common, firstAfterMs: pace.audienceMs }),
      changes,
      log,
    }),
    startWorker({ name: 'read-bots', everyMs, run: bots.readIds, changes, log }),
  ];
  const nudge = () => {
    for (const worker of workers) worker.nudge();
  };
  return {
    report: () => ({ watching: reportOf(slots) }),
    nudge,
    changed: nudge,
    settle: viewers.settleSlot,
    async stop() {
      await endAll(
        log,
        workers.map((worker) => worker.stop()),
      );
      await endAll(log, [viewers.settle()]);
    },
  };
}

function reportOf(slots: Slots): PartReport {
  if (slots.count() > 0)
    return { state: 'ready', detail: `watches ${slots.count()} of ${SLOTS} shares of the channels` };
  return slots.areElsewhere()
    ? { state: 'off', detail: 'other processes watch all channels' }
    : { state: 'starting' };
}

const watchingOff: Watching = {
  report: () => ({ watching: { state: 'off', detail: 'no Twitch application is configured' } }),
  nudge: () => {},
  changed: () => {},
  settle: async () => {},
  stop: async () => {},
};

/** Starts watching in the slots that this process shares with all others. At its end, each slot is given up. */
export function watchInSlots(
  deps: BotDeps,
  slots: SharedSlots,
  watched: ReadWatched,
  pace: TwitchPace = usualPace,
): BotPart {
  const watching = startWatching(deps, slots, pace, watched);
  const { clientId, clientSecret } = deps.config.twitch;
  if (clientId && clientSecret) slots.start(watching);
  return {
    report: watching.report,
    nudge: watching.nudge,
    // A slot whose work has ended waits for no other one.
    stop: () => endAll(deps.log, [slots.stop(), watching.stop()]),
  };
}
