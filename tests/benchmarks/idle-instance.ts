// A running instance without activity: sandbox, web and bot as separate processes.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openPostgres, openSqlite } from '#db/database.ts';
import { migratePostgres, migrateSqlite } from '#db/migrate.ts';
import { chatAccounts, steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { customRewards } from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { connectChatAccount } from '#domain/account/twitch/connect-chat-account.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { createVault } from '#platform/vault.ts';
import { chatAccountLogin } from '#sandbox/product-environment.ts';
import { writeWhole } from '#sandbox/state-file.ts';
import { seedTwitch } from '#sandbox/twitch/seed.ts';
import { TwitchWorld } from '#sandbox/twitch/world.ts';
import type { TwitchUser } from '#sandbox/twitch/world-state.ts';
import { cpuMsOf } from '#tests/benchmarks/process-cpu.ts';
import { copyOfAged } from '#tests/benchmarks/seed-history.ts';
import { Processes } from '#tests/soak/processes.ts';
import { startSandbox } from '#tests/soak/stage.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';

export interface IdleInstance {
  /** The CPU time of a process so far, or of all bots together, user and system, in milliseconds. */
  cpuMsOf(name: 'web' | 'bot'): number;
  /** Returns whether the bot listens to all channels: Twitch limits subscriptions per minute. */
  hearsAll(): Promise<boolean>;
  stop(): Promise<void>;
}

/** The bots of an instance, and its empty PostgreSQL database; without one it is an SQLite file. */
interface Layout {
  bots?: number;
  databaseUrl?: string;
}

/**
 * Starts an instance with this many channels with open rules, each with a grant that the sandbox accepts. With any, its
 * file has a past of 100,000 rewards.
 */
export async function startIdleInstance(
  amount: number,
  { bots = 1, databaseUrl }: Layout = {},
): Promise<IdleInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-idle-'));
  const storeFile = databaseUrl ? join(folder, 'none') : await storeIn(folder, amount);
  if (databaseUrl) await migratePostgres(databaseUrl);
  const firstPort = await findFreePorts(9 + bots);
  const [webPort, botPort] = [firstPort + 8, firstPort + 9];
  const key = randomBytes(32);
  const application = { clientId: 'idleapplication', clientSecret: randomBytes(15).toString('hex') };
  const headers = { 'X-Bot-Secret': randomBytes(32).toString('hex') };
  const settings = {
    BOT_SECRET: headers['X-Bot-Secret'],
    ENCRYPTION_KEY: key.toString('hex'),
    KEEPSAKE_DATA_DIR: join(storeFile, '..'),
    PORT: String(webPort),
    BOT_PORT: String(botPort),
    BOT_URL: `http://127.0.0.1:${botPort}`,
    PRODUCT_URL: `http://localhost:${webPort}`,
    TWITCH_CLIENT_ID: application.clientId,
    TWITCH_CLIENT_SECRET: application.clientSecret,
    LOG_LEVEL: 'warn',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  };
  const processes = new Processes(folder);
  const otherBots: Processes[] = [];
  const stop = async () => {
    for (const each of [...otherBots, processes]) await each.stopAll();
    for (const each of [folder, settings.KEEPSAKE_DATA_DIR]) rmSync(each, { recursive: true, force: true });
  };
  try {
    const sandboxFolder = join(folder, 'sandbox');
    const world = inhabitedTwitch(amount, application.clientId);
    await writeWhole(join(sandboxFolder, 'twitch.json'), JSON.stringify(world.twitch), 0o600);
    await settleAll(
      databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(storeFile),
      world,
      createVault(key.toString('base64')),
    );
    const sandbox = await startSandbox(processes, sandboxFolder, firstPort, settings);
    // Without the sandbox’s clock, which no real instance has: each process would ask it twice a second.
    const { KEEPSAKE_CLOCK_URL: _, ...environment } = sandbox.environment;
    for (const name of ['web', 'bot'] as const) processes.start(name, { ...settings, ...environment });
    await processes.untilHealthy('web', `${settings.PRODUCT_URL}/healthz`);
    await processes.untilHealthy('bot', `${settings.BOT_URL}/readyz`, headers);
    for (let other = 1; other < bots; other++) {
      const ownFolder = mkdtempSync(join(folder, 'bot-'));
      const url = `http://127.0.0.1:${botPort + other}`;
      const another = new Processes(ownFolder);
      otherBots.push(another);
      another.start('bot', { ...settings, ...environment, BOT_PORT: `${botPort + other}`, BOT_URL: url });
      await another.untilHealthy('bot', `${url}/readyz`, headers);
    }
    const runningOf = (name: 'web' | 'bot') => (name === 'bot' ? [processes, ...otherBots] : [processes]);
    return {
      cpuMsOf: (name) => runningOf(name).reduce((sum, each) => sum + cpuMsOf(each.pidOf(name)), 0),
      hearsAll: () => hearsAll(`${settings.BOT_URL}/readyz`, headers, amount),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function storeIn(folder: string, amount: number): Promise<string> {
  if (amount > 0) {
    const { file } = await copyOfAged(100_000);
    await endPresent(file);
    return file;
  }
  const file = join(folder, 'keepsake.db');
  await migrateSqlite(file);
  return file;
}

/** Ends all activity in a seeded database: the sandbox does not know its people. */
async function endPresent(file: string): Promise<void> {
  const db = await openSqlite(file);
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ state: 'closed' });
    await tx.update(channels).set({ live: false });
    await tx.update(twitchAccounts).set({ state: 'restricted' });
    await tx.delete(chatAccounts);
    await tx.update(customRewards).set({ state: 'deleted' });
  });
  await db.close();
}

interface Inhabitant {
  login: string;
  twitchId: string;
  grant: TwitchGrant;
}

interface InhabitedTwitch {
  twitch: TwitchWorld;
  chatAccount: Inhabitant;
  streamers: Inhabitant[];
}

/** The sandbox's initial world: signing in a thousand people one by one would take an hour. */
function inhabitedTwitch(amount: number, clientId: string): InhabitedTwitch {
  const twitch = new TwitchWorld({ now: Date.now });
  seedTwitch(twitch);
  const inhabit = (user: TwitchUser, scopes: readonly string[]): Inhabitant => {
    const { accessToken, refreshToken } = twitch.tokens.issue({ clientId, userId: user.id, scopes });
    const { lifetimeSeconds } = twitch.tokens;
    const issued = { accessToken, refreshToken: refreshToken ?? '', scopes };
    return {
      login: user.login,
      twitchId: user.id,
      grant: { ...issued, obtainedAtMs: Date.now(), lifetimeSeconds },
    };
  };
  const chatUser = twitch.userByLogin(chatAccountLogin);
  if (!chatUser) throw new Error('the sandbox has no chat account');
  const streamers = Array.from({ length: amount }, (_, number) =>
    inhabit(
      twitch.addUser({ login: `idle_streamer_${number}`, broadcasterType: 'affiliate' }),
      streamerScopes,
    ),
  );
  return { twitch, chatAccount: inhabit(chatUser, ['chat:read', 'chat:edit']), streamers };
}

async function settleAll(db: Database, world: InhabitedTwitch, vault: Vault): Promise<void> {
  try {
    await connectChatAccount(db, { vault, ...world.chatAccount });
    for (const [number, streamer] of world.streamers.entries())
      await settleStreamer(db, { ...streamer, number, vault }, Date.now());
  } finally {
    await db.close();
  }
}

/** Every rule requires watch time, one in four also follows, one in ten channel points. */
async function settleStreamer(
  db: Database,
  { login, twitchId, grant, number, vault }: Inhabitant & { number: number; vault: Vault },
  nowMs: number,
): Promise<void> {
  const userId = newId(nowMs);
  const steamId = String(76561199000000000n + BigInt(number));
  await db.transaction(async (tx) => {
    await tx.insert(users).values({
      id: userId,
      name: login,
      email: `${login.replaceAll('_', '-')}@example.org`,
      emailVerifiedAtMs: nowMs,
      locale: 'en',
      createdAtMs: nowMs,
    });
    await tx
      .insert(steamAccounts)
      .values({ steamId, userId, tradeToken: 'tokenABC', linkedAtMs: nowMs - 30 * day });
  });
  const person = { twitchId, login, displayName: login, pictureUrl: '', email: null };
  const linked = await linkTwitch(db, { vault, userId, person, grant }, nowMs);
  if (!linked.ok) throw new Error(`${login} could not be linked: ${linked.code}`);
  await addRule(
    db,
    { userId, twitchId, steamId },
    {
      rewards: 0,
      nowMs,
      ...(number % 4 === 0 && { followDays: 7 }),
      ...(number % 10 === 0 && { pointsCost: 500 }),
    },
  );
}

async function hearsAll(url: string, headers: Record<string, string>, channels: number): Promise<boolean> {
  const answer = await fetch(url, { headers });
  const { parts } = (await answer.json()) as { parts: Record<string, { detail?: string }> };
  return parts.twitch?.detail === `receiving events from ${channels} of ${channels} channels`;
}

/** Ten thousand subscriptions of a thousand channels need more than Twitch’s points of fifteen minutes. */
const RECEIVED_WITHIN_MS = 20 * 60_000;
/**
 * After subscribing to a channel, missed events are read. Then V8 collects once or twice, for up to two minutes, what
 * starting has left.
 */
const SETTLING_MS = 150_000;

/** Waits until the bot has finished starting: every channel is subscribed and caught up, and nothing is left over. */
export async function untilQuiet({ hearsAll }: Pick<IdleInstance, 'hearsAll'>): Promise<void> {
  const deadlineMs = Date.now() + RECEIVED_WITHIN_MS;
  while (!(await hearsAll())) {
    if (Date.now() > deadlineMs) throw new Error('the bot does not come to hear all channels');
    await delay(2000);
  }
  await delay(SETTLING_MS);
}
