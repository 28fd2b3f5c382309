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
import { correctLargeRules } from '#tests/benchmarks/holds/corrections.ts';
import { letHavePromises, letWait, letWatch, register, stock, write } from '#tests/benchmarks/holds/seed.ts';
import { costOf } from '#tests/benchmarks/measure.ts';
import { timingHolds } from '#tests/benchmarks/timing-holds.ts';
import { addBot, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';

const PEOPLE = 100_000;
/** The number of rewards that a plan allows in a month. */
const REWARDS = 5000;
const NO_CHECK = 2 ** 52;

interface World {
  db: Database;
  botId: string;
  crowd: readonly string[];
  /** Runs work and stores the longest hold under this name. */
  measure(name: string, work: () => Promise<unknown>): Promise<void>;
}

/** The longest hold in each kind of work, in milliseconds. */
export async function measureHolds(untimed: Database): Promise<Record<string, number>> {
  const { db, longestHoldMs } = timingHolds(untimed);
  const crowd = crowdOf(PEOPLE);
  const holds: Record<string, number> = {};
  const botId = await addBot(db);
  await register(db, crowd);
  const measure = async (name: string, work: () => Promise<unknown>) => {
    longestHoldMs();
    const { cpuMs, wallMs } = await costOf(work);
    const holdMs = longestHoldMs();
    holds[name] = Math.max(holds[name] ?? 0, holdMs);
    console.log(
      `${name}: ${holdMs} ms at most; in all ${Math.round(wallMs)} ms, ${Math.round(cpuMs)} of CPU`,
    );
  };
  const world: World = { db, botId, crowd, measure };
  await changePools(world);
  await serveMany(world);
  await correctLargeRules(world, REWARDS);
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

const attach = ({ db }: World, { userId }: Person, ruleId: string) =>
  answeredWell(attachRewards(db, { ruleId, userId, kinds: cases(REWARDS) }, START_MS));

async function changePools(world: World): Promise<void> {
  const { db, botId, measure } = world;
  for (const name of ['detach', 'close'] as const) {
    const streamer = await addStreamer(db);
    const { userId } = streamer;
    await stock(db, streamer, botId, REWARDS);
    const ruleId = await addRule(db, streamer, { rewards: 0 });
    await measure('attach', () => attach(world, streamer, ruleId));
    await measure(name, () =>
      answeredWell(
        name === 'close'
          ? closeRule(db, { ruleId, userId }, START_MS)
          : detachRewards(db, { ruleId, userId, kinds: cases(REWARDS) }, START_MS),
      ),
    );
  }
}

/** As many viewers as there are rewards wait for them, or pass the threshold in one minute. */
async function serveMany(world: World): Promise<void> {
  const { db, botId, crowd, measure } = world;
  const some = crowd.slice(0, REWARDS);
  const waitedFor = await addStreamer(db);
  await stock(db, waitedFor, botId, REWARDS);
  const ruleId = await addRule(db, waitedFor, { rewards: 0 });
  await letWait(db, ruleId, some);
  await measure('attachServing', () => attach(world, waitedFor, ruleId));

  const streamer = await addStreamer(db);
  await stock(db, streamer, botId, REWARDS);
  const rule = { rewards: 0, watchMinutes: 10, watchScope: 'allTime' } as const;
  await attach(world, streamer, await addRule(db, streamer, rule));
  await letWatch(db, streamer.twitchId, some, { seconds: 595, nextCheckSeconds: 600 });
  const tick = await goLive(db, streamer, some);
  await measure('tickServing', () => tick(START_MS + minute));

  const large = await addStreamer(db);
  await addRule(db, large, rule);
  await letWatch(db, large.twitchId, crowd, { seconds: 595, nextCheckSeconds: 600 });
  const tickOfAll = await goLive(db, large, crowd);
  await measure('tickOfManyDue', () => tickOfAll(START_MS + minute));
}

/** The channel goes live, and its first reading is over. Returns its next one. */
async function goLive(
  db: Database,
  { twitchId: channelId }: Person,
  present: readonly string[],
  startedAtMs = START_MS,
) {
  const stream = { streamId: 's1', startedAtMs, gameName: 'Demo game', title: 'Demo' };
  await recordStream(db, { channelId, stream }, startedAtMs);
  const tick = (nowMs: number) =>
    accrueWatchTime(db, { channelId, streamId: 's1', twitchIds: new Set(present) }, nowMs);
  await tick(startedAtMs);
  return tick;
}

async function endOutages({ db, botId, crowd, measure }: World): Promise<void> {
  const streamer = await addStreamer(db);
  const itemIds = await stock(db, streamer, botId, PEOPLE);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await letHavePromises(db, { ruleId, streamer, itemIds }, crowd);
  const systemMs = Date.now();
  await db.transaction(async (tx) => {
    await tx.update(bots).set({ heartbeatAtMs: systemMs - hour });
  });
  const nowMs = START_MS + 2 * hour;
  await measure('outage', async () => {
    await recordHeartbeat(db, botId, { systemMs, nowMs });
    await extendClaimWindows(db, nowMs);
  });
  await stopSending(db, { operatorId: 'demo' }, { nowMs, systemMs });
  const later = { nowMs: nowMs + hour, systemMs: systemMs + hour };
  await measure('resumeSending', async () => {
    await resumeSending(db, { operatorId: 'demo' }, later);
    await extendClaimWindows(db, later.nowMs);
  });
}

async function resumeRule({ db, crowd, measure }: World): Promise<void> {
  const streamer = await addStreamer(db);
  const { userId: ownerId, twitchId: channelId } = streamer;
  await letWatch(db, channelId, crowd, { seconds: 60, nextCheckSeconds: NO_CHECK });
  await addRule(db, streamer, { watchMinutes: 600, rewards: 0 });
  await db.transaction((tx) => pauseRulesOf(tx, { ownerId, reason: 'lostPermission' }, START_MS));
  await db.transaction(async (tx) => {
    await tx
      .update(watchTimes)
      .set({ nextCheckSeconds: NO_CHECK })
      .where(eq(watchTimes.channelId, channelId));
  });
  await measure('resumeRule', async () => {
    const resume = { ownerId, reason: 'lostPermission' } as const;
    const opened = await db.transaction((tx) => resumeRulesOf(tx, resume, START_MS));
    await evaluateRules(db, opened, START_MS);
  });
}

async function turnDays({ db, crowd, measure }: World): Promise<void> {
  const offline = await addStreamer(db);
  const early = await goLive(db, offline, crowd);
  await early(START_MS + minute);
  await recordStream(db, { channelId: offline.twitchId, stream: null }, START_MS + 2 * minute);
  await measure('rollUp', () => rollUpChannels(db, START_MS + day));

  const midnightMs = START_MS + 12 * hour;
  const tick = await goLive(db, await addStreamer(db), crowd, midnightMs - 2 * minute);
  await tick(midnightMs - minute);
  await measure('tickAtMidnight', () => tick(midnightMs + minute));
}

async function listSubscribers({ db, crowd, measure }: World): Promise<void> {
  const { twitchId: channelId } = await addStreamer(db);
  const list = (twitchIds: readonly string[], readAtMs: number) =>
    recordSubscribers(db, {
      channelId,
      subscribers: twitchIds.map((twitchId) => ({ twitchId, tier: 1 })),
      readAtMs,
    });
  await measure('subscribers', () => list(crowd, START_MS));
  await measure('subscribersAgain', () => list(crowd, START_MS + hour));
  await measure('subscribersLeft', () => list([], START_MS + 2 * hour));
}

async function prune({ db, crowd, measure }: World): Promise<void> {
  const nowMs = START_MS + 100 * day;
  const everyone = <Row>(row: (twitchId: string) => Row) => crowd.map(row);
  await write(
    db,
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
    db,
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
    db,
    insertManyInto(attempts, 'attempts'),
    everyone((key) => ({ key, ...ended })),
  );
  await write(
    db,
    insertManyInto(spentCaptchas, 'spent_captchas'),
    everyone((solutionHash) => ({ solutionHash, expiresAtMs: START_MS })),
  );
  await write(
    db,
    insertManyInto(seenMessages, 'seen_messages'),
    everyone((id) => ({ id, seenAtMs: START_MS })),
  );
  await measure('pruneAccess', () => pruneAccess(db, nowMs, nowMs));
  await measure('pruneSeen', () => pruneSeen(db, nowMs));
}
