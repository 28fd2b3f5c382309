import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { onTestFinished, vi } from 'vitest';
import { watchChanges } from '#bot/changes.ts';
import type { BotDeps } from '#bot/deps.ts';
import { endAll } from '#bot/end-all.ts';
import type { TwitchPace } from '#bot/twitch/pace/twitch-pace.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { startWatching } from '#bot/twitch/start-watching.ts';
import type { Database } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { type Locale, users } from '#db/schema/user.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { streamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { createVault } from '#platform/vault.ts';
import { startTwitch as startSandboxTwitch } from '#sandbox/twitch/server.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addRule, nextNumber, type Person, START_MS, steamIdOf } from '#tests/support/fixtures.ts';
import { underRealLease } from '#tests/support/leases.ts';
import { skippableSteadyTime } from '#tests/support/passing-time.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { everySlot } from '#tests/support/slots.ts';
import { botSecret } from '#tests/support/steam-stage.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import { watchedRows } from '#tests/support/watched.ts';

export const clientId = 'demo-client';
export const clientSecret = 'demo-client-word';
export const botLogin = 'keepsake_demo_bot';

/** A database, the sandbox's Twitch on a free port, and a clock that only the test advances. */
export async function setStage({
  startMs = START_MS,
  keepaliveSeconds = 10,
  pointsPerSecond = 10,
}: {
  startMs?: number;
  keepaliveSeconds?: number;
  pointsPerSecond?: number;
} = {}) {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  let nowMs = startMs;
  const steadyTime = skippableSteadyTime();
  const clock = { now: () => nowMs, stop: () => {} };
  const world = new TwitchWorld({ now: clock.now });
  const server = await startSandboxTwitch({
    world,
    port: 0,
    clientId,
    clientSecret,
    deviceIntervalSeconds: 0.05,
    keepaliveSeconds,
    pointsPerSecond,
  });
  onTestFinished(() => server.close());
  process.env.TWURPLE_MOCK_API_PORT = String(server.port);
  const vault = createVault(randomBytes(32).toString('base64'));
  const changes = watchChanges({ db, clock, log: quietLog }, { pollMs: 20, restMs: 20, restAfterMs: 0 });
  onTestFinished(() => changes.stop());
  const deps = await underRealLease(depsFor({ db, clock, changes, vault, port: server.port }), 'twitch:0');

  return {
    db,
    world,
    clock,
    vault,
    deps,
    port: server.port,
    advance: (ms: number) => {
      nowMs += ms;
    },
    /** Advances the clock, and as much the process’s own, which pauses and looks go by. */
    elapse: (ms: number) => {
      nowMs += ms;
      steadyTime.skip(ms);
    },
    /** A tracking process with all channels; a test may start several. It is stopped when the test ends. */
    async startBot(overrides: Partial<TwitchPace> = {}) {
      const pace = { ...hurriedTwitchPace, ...overrides };
      const tracking = await startTwitch(deps, pace);
      const watching = startWatching(deps, everySlot(deps.db), pace);
      const parts = [tracking, watching];
      const stop = () =>
        endAll(
          deps.log,
          parts.map((part) => part.stop()),
        );
      onTestFinished(stop);
      const nudge = () => {
        for (const part of parts) part.nudge();
      };
      return { ...tracking, nudge, stop };
    },
  };
}

export type Stage = Awaited<ReturnType<typeof setStage>>;

const quietLog = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });

function depsFor(given: Pick<BotDeps, 'db' | 'clock' | 'changes' | 'vault'> & { port: number }): BotDeps {
  const { port, ...rest } = given;
  return {
    ...rest,
    log: quietLog,
    version: '1.2.3',
    config: {
      watchedAtOnce: 3,
      roles: new Set(['steam', 'twitch', 'housekeeping'] as const),
      port: 0,
      host: '127.0.0.1',
      botUrl: new URL('http://127.0.0.1:3001'),
      secret: botSecret,
      publicUrl: new URL('http://localhost:3000'),
      dataFolder: '',
      databaseUrl: null,
      backupFolder: '/nowhere/at/all',
      encryptionKey: '',
      billing: null,
      operatorEmail: null,
      twitch: {
        clientId,
        clientSecret,
        botLogins: [botLogin],
        ignoredLogins: [],
        authUrl: new URL(`http://localhost:${port}/auth`),
        ircUrl: `ws://localhost:${port}`,
        mockApiPort: port,
      },
      steam: { bots: [], httpProxy: null },
      pushServiceUrl: null,
      mail: { smtpUrl: null, from: 'Keepsake <no-reply@localhost>' },
      imageUrl: new URL('http://127.0.0.1:1/images/'),
      clockUrl: null,
      metricsToken: null,
      logLevel: 'silent',
    },
  };
}

/** A grant from the sandbox's Twitch, a minute old. */
export function grantOf(
  stage: Pick<Stage, 'world'>,
  twitchId: string,
  scopes: readonly string[],
): TwitchGrant {
  const token = stage.world.tokens.issue({ clientId, userId: twitchId, scopes });
  return {
    accessToken: token.accessToken,
    refreshToken: token.refreshToken ?? '',
    scopes,
    obtainedAtMs: Date.now() - minute,
    lifetimeSeconds: stage.world.tokens.lifetimeSeconds,
  };
}

/** A verified user, also on the sandbox's Twitch, linked with a valid grant. */
export async function addTwitchPerson(
  stage: Stage,
  facts: { streams?: boolean; locale?: Locale } = {},
): Promise<Person & { login: string }> {
  const number = nextNumber();
  const twitch = stage.world.addUser({ login: `demo_person_${number}`, broadcasterType: 'affiliate' });
  const person = { userId: newId(START_MS), twitchId: twitch.id, steamId: steamIdOf(number) };
  await stage.db.transaction(async (tx) => {
    await tx.insert(users).values({
      id: person.userId,
      name: twitch.displayName,
      email: twitch.email,
      emailVerifiedAtMs: START_MS,
      locale: facts.locale ?? 'en',
      createdAtMs: START_MS,
    });
    await tx.insert(steamAccounts).values({
      steamId: person.steamId,
      userId: person.userId,
      tradeToken: 'tokenABC',
      linkedAtMs: START_MS - 30 * day,
    });
  });
  await link(stage, person, facts.streams ? [...viewerScopes, ...streamerScopes] : viewerScopes);
  // Written about the link itself, long before a test begins.
  await stage.db.transaction(async (tx) => {
    await tx.delete(mails).where(eq(mails.template, 'accountChanged'));
  });
  return { ...person, login: twitch.login };
}

/** Links, or links again, with a new grant of these scopes. */
export async function link(
  stage: Stage,
  { userId, twitchId }: Pick<Person, 'userId' | 'twitchId'>,
  scopes: readonly string[],
): Promise<void> {
  const twitch = stage.world.userById(twitchId);
  if (!twitch) throw new Error(`nobody on Twitch has the id ${twitchId}`);
  const { login, displayName, email } = twitch;
  const outcome = await linkTwitch(
    stage.db,
    {
      vault: stage.vault,
      userId,
      person: { twitchId, login, displayName, pictureUrl: '', email },
      grant: grantOf(stage, twitchId, scopes),
    },
    stage.clock.now(),
  );
  if (!outcome.ok) throw new Error(outcome.code);
}

/** A streamer with a ten-minute rule and one reward, and a registered viewer in chat. */
export async function setChannel(stage: Stage, rule: Partial<RuleDraft> & { rewards?: number } = {}) {
  await addBot(stage.db);
  const streamer = await addTwitchPerson(stage, { streams: true });
  const viewer = await addTwitchPerson(stage);
  const ruleId = await addRule(stage.db, streamer, { watchMinutes: 10, rewards: 1, ...rule });
  stage.world.setChatters(streamer.twitchId, [streamer.twitchId, viewer.twitchId]);
  return { streamer, viewer, ruleId };
}

export async function channelOf(stage: Stage, channelId: string) {
  const [channel] = await stage.db.read.select().from(channels).where(eq(channels.id, channelId));
  if (!channel) throw new Error(`no channel ${channelId}`);
  return channel;
}

export async function goLive(stage: Stage, channelId: string, fields: { sameStream?: boolean } = {}) {
  const stream = stage.world.goLive(channelId, { title: 'Demo', gameName: 'Rust', ...fields });
  await until(
    () => channelOf(stage, channelId),
    (channel) => channel.live && channel.streamId === stream.id,
  );
  return stream;
}

export async function goOffline(stage: Stage, channelId: string) {
  stage.world.goOffline(channelId);
  await until(
    () => channelOf(stage, channelId),
    (channel) => !channel.live,
  );
}

/** Waits until polls alone have ended a stream, which takes two looks minutes apart. */
export const isOver = (stage: Stage, channelId: string) =>
  until(
    async () => {
      stage.elapse(minute / 2);
      return channelOf(stage, channelId);
    },
    (channel) => !channel.live,
  );

/** Advances the clock and waits until the interval was read. */
export async function pass(stage: Stage, channelId: string, ms = minute) {
  stage.advance(ms);
  await until(
    () => channelOf(stage, channelId),
    (channel) => channel.watchedUntilMs === stage.clock.now(),
  );
}

/** Everyone's watch time, by Twitch id. */
export async function watched(db: Database): Promise<Record<string, number>> {
  const rows = await watchedRows(db.read);
  return Object.fromEntries(rows.map((row) => [row.twitchId, row.seconds]));
}

/** Waits until a condition holds; the failure reports the last value. */
export async function until<T>(
  read: () => T | Promise<T>,
  holds: (value: T) => boolean,
  timeout = PATIENCE_MS,
): Promise<T> {
  return vi.waitFor(
    async () => {
      const value = await read();
      if (!holds(value)) throw new Error(`not so yet: ${JSON.stringify(value)}`);
      return value;
    },
    { timeout, interval: 15 },
  );
}

/** Every request to the sandbox's Twitch, as method and path. */
export function listRequests(stage: Stage) {
  const asked: string[] = [];
  const take = stage.world.faults.takeRequestFault.bind(stage.world.faults);
  stage.world.faults.takeRequestFault = (method, path) => {
    asked.push(`${method} ${path}`);
    return take(method, path);
  };
  return { count: (line: string) => asked.filter((one) => one === line).length };
}
