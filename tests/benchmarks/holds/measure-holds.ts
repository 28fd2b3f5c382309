import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { attempts, spentCaptchas } from '#db/schema/access.ts';
import { bots } from '#db/schema/bot.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { sessions } from '#db/schema/user.ts';
import { insertManyInto } from '#db/write.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { pauseRulesOf, resumeRulesOf } from '#domain/rule/pause-rules.ts';
import { pruneSeen } from '#domain/twitch-event/seen-messages.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';
import { crowdOf } from '#tests/benchmarks/crowd.ts';
import { letHavePromises, letWait, letWatch, register, stock, write } from '#tests/benchmarks/holds/seed.ts';
import { costOf } from '#tests/benchmarks/measure.ts';
import { timingHolds } from '#tests/benchmarks/timing-holds.ts';
import { addBot, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';

const PEOPLE = 100_000;
/** The number of rewards that a plan allows in a month. */
const REWARDS = 5000;
const NO_CHECK = 2 ** 52;

interface World {
  database: Database;
  botId: string;
  crowd: readonly string[];
  /** Runs work and stores the longest hold under this name. */
  measure(name: string, work: () => Promise<unknown>): Promise<void>;
}

/** The longest hold in each kind of work, in milliseconds. */
export async function measureHolds(untimed: Database): Promise<Record<string, number>> {
  const { database, longestHoldMs } = timingHolds(untimed);
  const crowd = crowdOf(PEOPLE);
  const holds: Record<string, number> = {};
  const botId = await addBot(database);
  await register(database, crowd);
  const measure = async (name: string, work: () => Promise<unknown>) => {
    longestHoldMs();
    const { cpuMs, wallMs } = await costOf(work);
    const holdMs = longestHoldMs();
    holds[name] = Math.max(holds[name] ?? 0, holdMs);
    console.log(
      `${name}: ${holdMs} ms at most; in all ${Math.round(wallMs)} ms, ${Math.round(cpuMs)} of CPU`,
    );
  };
  const world: World = { database, botId, crowd, measure };
  await changePools(world);
  await serveMany(world);
  await endOutages(world);
  await resumeRule(world);
  await turnDays(world);
  await listSubscribers(world);
  await prune(world);
  return holds;
}

const cases = (quantity: number) => [{ appId: 730, marketHashName: 'Demo case', quantity }];

async function answeredWell(outcome: Promise<{ ok: boolean }>): Promise<void> {
  const answer = await outcome;
  if (!answer.ok) throw new Error(JSON.stringify(answer));
}

const attach = ({ database }: World, { userId }: Person, ruleId: string) =>
  answeredWell(attachRewards(database, { ruleId, userId, kinds: cases(REWARDS) }, START_MS));

async function changePools(world: World): Promise<void> {
  const { database, botId, measure } = world;
  for (const name of ['detach', 'close'] as const) {
    const streamer = await addStreamer(database);
    const { userId } = streamer;
    await stock(database, streamer, botId, REWARDS);
    const ruleId = await addRule(database, streamer, { rewards: 0 });
    await measure('attach', () => attach(world, streamer, ruleId));
    await measure(name, () =>
      answeredWell(
        name === 'close'
          ? closeRule(database, { ruleId, userId }, START_MS)
          : detachRewards(database, { ruleId, userId, kinds: cases(REWARDS) }, START_MS),
      ),
    );
  }
}

/** As many viewers as there are rewards wait for them, or pass the threshold in one minute. */
async function serveMany(world: World): Promise<void> {
  const { database, botId, crowd, measure } = world;
  const some = crowd.slice(0, REWARDS);
  const waitedFor = await addStreamer(database);
  await stock(database, waitedFor, botId, REWARDS);
  const ruleId = await addRule(database, waitedFor, { rewards: 0 });
  await letWait(database, ruleId, some);
  await measure('attachServing', () => attach(world, waitedFor, ruleId));

  const streamer = await addStreamer(database);
  await stock(database, streamer, botId, REWARDS);
  const rule = { rewards: 0, watchMinutes: 10, watchScope: 'allTime' } as const;
  await attach(world, streamer, await addRule(database, streamer, rule));
  await letWatch(database, streamer.twitchId, some, { seconds: 595, nextCheckSeconds: 600 });
  const tick = await goLive(database, streamer, some);
  await measure('tickServing', () => tick(START_MS + minute));

  const large = await addStreamer(database);
  await addRule(database, large, rule);
  await letWatch(database, large.twitchId, crowd, { seconds: 595, nextCheckSeconds: 600 });
  const tickOfAll = await goLive(database, large, crowd);
  await measure('tickOfManyDue', () => tickOfAll(START_MS + minute));
}

/** The channel goes live, and its first reading is over. Returns its next one. */
async function goLive(
  database: Database,
  { twitchId: channelId }: Person,
  present: readonly string[],
  startedAtMs = START_MS,
) {
  const stream = { streamId: 's1', startedAtMs, gameName: 'Demo game', title: 'Demo' };
  await recordStream(database, { channelId, stream }, startedAtMs);
  const tick = (nowMs: number) =>
    accrueWatchTime(database, { channelId, streamId: 's1', twitchIds: new Set(present) }, nowMs);
  await tick(startedAtMs);
  return tick;
}

async function endOutages({ database, botId, crowd, measure }: World): Promise<void> {
  const streamer = await addStreamer(database);
  const itemIds = await stock(database, streamer, botId, PEOPLE);
  const ruleId = await addRule(database, streamer, { rewards: 0 });
  await letHavePromises(database, { ruleId, streamer, itemIds }, crowd);
  const systemMs = Date.now();
  await database.transaction(async (tx) => {
    await tx.update(bots).set({ heartbeatAtMs: systemMs - hour });
  });
  const nowMs = START_MS + 2 * hour;
  await measure('outage', async () => {
    await recordHeartbeat(database, botId, { systemMs, nowMs });
    await extendClaimWindows(database, nowMs);
  });
  await stopSending(database, { operatorId: 'demo' }, { nowMs, systemMs });
  const later = { nowMs: nowMs + hour, systemMs: systemMs + hour };
  await measure('resumeSending', async () => {
    await resumeSending(database, { operatorId: 'demo' }, later);
    await extendClaimWindows(database, later.nowMs);
  });
}

async function resumeRule({ database, crowd, measure }: World): Promise<void> {
  const streamer = await addStreamer(database);
  const { userId: ownerId, twitchId: channelId } = streamer;
  await letWatch(database, channelId, crowd, { seconds: 60, nextCheckSeconds: NO_CHECK });
  await addRule(database, streamer, { watchMinutes: 600, rewards: 0 });
  await database.transaction((tx) => pauseRulesOf(tx, { ownerId, reason: 'lostPermission' }, START_MS));
  await database.transaction(async (tx) => {
    await tx
      .update(watchTimes)
      .set({ nextCheckSeconds: NO_CHECK })
      .where(eq(watchTimes.channelId, channelId));
  });
  await measure('resumeRule', async () => {
    const resume = { ownerId, reason: 'lostPermission' } as const;
    const opened = await database.transaction((tx) => resumeRulesOf(tx, resume, START_MS));
    await evaluateRules(database, opened, START_MS);
  });
}

async function turnDays({ database, crowd, measure }: World): Promise<void> {
  const offline = await addStreamer(database);
  const early = await goLive(database, offline, crowd);
  await early(START_MS + minute);
  await recordStream(database, { channelId: offline.twitchId, stream: null }, START_MS + 2 * minute);
  await measure('rollUp', () => rollUpChannels(database, START_MS + day));

  const midnightMs = START_MS + 12 * hour;
  const tick = await goLive(database, await addStreamer(database), crowd, midnightMs - 2 * minute);
  await tick(midnightMs - minute);
  await measure('tickAtMidnight', () => tick(midnightMs + minute));
}

async function listSubscribers({ database, crowd, measure }: World): Promise<void> {
  const { twitchId: channelId } = await addStreamer(database);
  const list = (twitchIds: readonly string[], readAtMs: number) =>
    recordSubscribers(database, {
      channelId,
      subscribers: twitchIds.map((twitchId) => ({ twitchId, tier: 1 })),
      readAtMs,
    });
  await measure('subscribers', () => list(crowd, START_MS));
  await measure('subscribersAgain', () => list(crowd, START_MS + hour));
  await measure('subscribersLeft', () => list([], START_MS + 2 * hour));
}

async function prune({ database, crowd, measure }: World): Promise<void> {
  const nowMs = START_MS + 100 * day;
  const everyone = <Row>(row: (twitchId: string) => Row) => crowd.map(row);
  await write(
    database,
    insertManyInto(mails, 'mails'),
    everyone((id) => ({
      id,
      recipient: `${id}@example.org`,
      template: 'rewardPromised',
      locale: 'en' as const,
      values: { name: 'Demo person', item: 'Demo case', channel: 'Demo channel', rule: 'Demo rule' },
      createdAtMs: START_MS,
      runAtMs: START_MS,
      sentAtMs: START_MS,
    })),
  );
  await write(
    database,
    insertManyInto(sessions, 'sessions'),
    everyone((id) => ({
      tokenHash: id,
      userId: `user-${id}`,
      createdAtMs: START_MS,
      lastSeenAtMs: START_MS,
      expiresAtMs: START_MS,
    })),
  );
  const ended = { endsAtMs: START_MS, count: 1 };
  await write(
    database,
    insertManyInto(attempts, 'attempts'),
    everyone((key) => ({ key, ...ended })),
  );
  await write(
    database,
    insertManyInto(spentCaptchas, 'spent_captchas'),
    everyone((solutionHash) => ({ solutionHash, expiresAtMs: START_MS })),
  );
  await write(
    database,
    insertManyInto(seenMessages, 'seen_messages'),
    everyone((id) => ({ id, seenAtMs: START_MS })),
  );
  await measure('pruneAccess', () => pruneAccess(database, nowMs, nowMs));
  await measure('pruneSeen', () => pruneSeen(database, nowMs));
}
