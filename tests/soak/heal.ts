import { setTimeout as delay } from 'node:timers/promises';
import { and, gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { endSendingPauses, endWaits } from './monkey.ts';
import type { Progress } from './progress.ts';
import { reconnect } from './reconnect.ts';
import { type Stage, untilReady } from './stage.ts';
import { accept, waitingOffers } from './steam-deeds.ts';
import { readTwitch } from './truth.ts';

const CHECK_MS = 2000;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** This many checks in a row must find nothing to do. */
const QUIET_LOOKS = 3;
/** Work that has not moved for this long is stuck. */
const STUCK_MS = 3 * minute;
/** Rest has to come within this time, even while everything still moves. */
export const LONGEST_REST_MS = 12 * minute;

/**
 * Cancels all faults, answers all open offers, and waits until nothing is under way: first for offers and
 * points, then, eight days later and with restarted processes, for possible reversals. Lists the work that
 * never finished.
 */
export async function heal(
  stage: Stage,
  progress: Progress,
  // Half of the time the processes have to recover on their own.
  startsAnew = stage.chanceOf('heal').is(0.5),
): Promise<string[]> {
  let restless: string[] = [];
  const look = async (passTime: () => Promise<unknown>) => {
    restless = await untilQuiet(stage, passTime, (found) => {
      restless = found;
    });
    return restless;
  };
  const facts = () => restless.slice(0, 5).join('; ') || 'nothing';
  const { panel, streamers } = stage;
  progress.enter('ends all faults');
  await callOffTrouble(stage);
  stage.hostClock.step(0);
  await endSendingPauses(stage);
  await reconnect(stage);
  for (const { steamId } of streamers) await panel.act(`/steam/users/${steamId}/escrow`, { days: 0 });
  // A bot may wait for minutes to log on.
  if (startsAnew || (await isLogOnPaused(stage))) await startAnew(stage);
  // Advances time for everything that waits: pauses after failures, trades held for a day.
  progress.enter('waits until nothing is under way', facts);
  if ((await look(() => panel.advance(2 * hour))).length > 0) return restless;
  progress.enter('starts anew, eight days later');
  await panel.advance(8 * day);
  stage.hostClock.step(0);
  await startAnew(stage);
  progress.enter('waits until every trade is final', facts);
  return look(async () => {});
}

async function callOffTrouble({ panel }: Stage): Promise<void> {
  await panel.act('/trouble/clear');
  await panel.act('/trouble/twitch/chatter-lag', { seconds: 0 });
}

const isLogOnPaused = async ({ db }: Stage) => (await db.read.$count(bots, gt(bots.logOnPauseMs, 0))) > 0;

async function startAnew(stage: Stage): Promise<void> {
  const { processes, bot, webUrl } = stage;
  const names = ['bot', 'web'] as const;
  await Promise.all(names.map((name) => processes.stop(name)));
  await endWaits(stage);
  for (const name of names) processes.start(name);
  await processes.untilHealthy('web', `${webUrl}/healthz`);
  await untilReady(processes, bot);
}

async function untilQuiet(
  stage: Stage,
  passTime: () => Promise<unknown>,
  report: (restless: string[]) => void,
): Promise<string[]> {
  const lastMs = Date.now() + LONGEST_REST_MS;
  let [known, movedAtMs] = ['', Date.now()];
  let quietLooks = 0;
  for (;;) {
    await reconnect(stage);
    for (const offer of await waitingOffers(stage)) await accept(stage, offer);
    const restless = await whatIsUnderWay(stage);
    report(restless);
    quietLooks = restless.length === 0 ? quietLooks + 1 : 0;
    if (quietLooks === QUIET_LOOKS) return [];
    const found = restless.join();
    if (found !== known) [known, movedAtMs] = [found, Date.now()];
    if (Date.now() > Math.min(lastMs, movedAtMs + STUCK_MS)) return restless;
    if (restless.length > 0) await passTime();
    await delay(CHECK_MS);
  }
}

/** All the work that the product has left, and facts that only Twitch knows yet. */
async function whatIsUnderWay({ db, panel, sandboxFolder, streamers }: Stage): Promise<string[]> {
  const q = db.read;
  const nowMs = panel.nowMs();
  const found: string[] = [];
  const say = (what: string, rows: readonly { id: string; state?: string; why?: string | null }[]) => {
    for (const { id, state = '', why } of rows) found.push(`${what} ${id} ${state} ${why ?? ''}`.trim());
  };
  const transferFacts = { id: transfers.id, state: transfers.state, why: transfers.lastError };
  say(
    'transfer',
    await q.select(transferFacts).from(transfers).where(within(transfers.state, liveTransferStates)),
  );
  const settled = and(is(transfers.state, 'accepted'), lt(transfers.settlesAtMs, nowMs));
  say('trade', await q.select(transferFacts).from(transfers).where(settled));
  say(
    'missing item',
    await q.select({ id: items.id, state: items.state }).from(items).where(is(items.state, 'missing')),
  );
  const wished = and(is(redemptions.state, 'open'), isNotNull(redemptions.settlement));
  say(
    'redemption',
    (await q
      .select({ id: redemptions.id, state: redemptions.settlement })
      .from(redemptions)
      .where(wished)) as never,
  );
  const overdue = and(is(rewards.state, 'promised'), lt(rewards.claimUntilMs, nowMs - minute));
  say('promise', await q.select({ id: rewards.id, state: rewards.state }).from(rewards).where(overdue));
  say(
    'mail',
    await q
      .select({ id: mails.id, why: mails.lastError })
      .from(mails)
      // A reminder waits for its time; mails that were tried and given up do not.
      .where(and(isNull(mails.sentAtMs), or(gt(mails.attempts, 0), lte(mails.runAtMs, nowMs)))),
  );
  const known = new Set((await q.select({ id: redemptions.id }).from(redemptions)).map(({ id }) => id));
  const channels = new Set(streamers.map(({ twitchId }) => twitchId));
  const unheard = readTwitch(sandboxFolder).redemptions.filter(
    ({ id, broadcasterId, status }) =>
      status === 'UNFULFILLED' && channels.has(broadcasterId) && !known.has(id),
  );
  say(
    'redemption unheard of',
    unheard.map(({ id }) => ({ id })),
  );
  return found;
}
