// A running instance on which nothing happens: sandbox, web and bot as processes of their own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openSqlite } from '#db/database.ts';
import { migrateSqlite } from '#db/migrate.ts';
import { chatAccounts, steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { customRewards } from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { linkTwitch } from '#domain/account/link-twitch.ts';
import { streamerScopes } from '#domain/account/twitch-scopes.ts';
import { day } from '#domain/clock.ts';
import { newId } from '#domain/id.ts';
import { createVault, type Vault } from '#domain/vault.ts';
import { copyOfAged } from '#tests/benchmarks/seed-history.ts';
import { WorldPanel } from '#tests/soak/panel.ts';
import { Processes } from '#tests/soak/processes.ts';
import { startSandbox } from '#tests/soak/stage.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { authorize } from '../../cli/demo/authorize.ts';
import { DemoPanel, type World } from '../../cli/demo/panel.ts';
import { settleChatAccount } from '../../cli/demo/people.ts';

const AT_ONCE = 4;

export interface IdleInstance {
  /** CPU time that a process has used so far, its own and the system's for it, in milliseconds. */
  cpuMsOf(name: 'web' | 'bot'): number;
  stop(): Promise<void>;
}

/**
 * Starts an instance with so many channels that have open rules, each with a grant that the sandbox honours. With any,
 * its store has a past of 100,000 rewards.
 */
export async function startIdleInstance(amount: number): Promise<IdleInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-idle-'));
  const storeFile = await storeIn(folder, amount);
  const firstPort = await findFreePorts(8);
  const [webPort, botPort] = [firstPort + 6, firstPort + 7];
  const key = randomBytes(32);
  const settings = {
    ENCRYPTION_KEY: key.toString('hex'),
    KEEPSAKE_DATA_DIR: join(storeFile, '..'),
    PORT: String(webPort),
    BOT_PORT: String(botPort),
    BOT_URL: `http://127.0.0.1:${botPort}`,
    PRODUCT_URL: `http://localhost:${webPort}`,
    LOG_LEVEL: 'warn',
  };
  const processes = new Processes(folder);
  const stop = async () => {
    await processes.stopAll();
    for (const each of [folder, settings.KEEPSAKE_DATA_DIR]) rmSync(each, { recursive: true, force: true });
  };
  try {
    const sandbox = await startSandbox(processes, join(folder, 'sandbox'), firstPort, settings);
    await settleStreamers(storeFile, amount, {
      vault: createVault(key.toString('base64')),
      panelUrl: sandbox.panelUrl,
      chatLogin: sandbox.environment.TWITCH_BOT_LOGIN ?? '',
      twitch: {
        authUrl: sandbox.environment.TWITCH_AUTH_URL ?? '',
        clientId: sandbox.environment.TWITCH_CLIENT_ID ?? '',
      },
    });
    for (const name of ['web', 'bot'] as const)
      processes.start(name, { ...settings, ...sandbox.environment });
    await processes.untilHealthy('web', `${settings.PRODUCT_URL}/healthz`);
    await processes.untilHealthy('bot', `${settings.BOT_URL}/readyz`);
    return { cpuMsOf: (name) => cpuMsOf(processes.pidOf(name)), stop };
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

/** What goes on in a seeded store comes to its end: the sandbox knows none of its people. */
async function endPresent(file: string): Promise<void> {
  const database = await openSqlite(file);
  await database.transaction(async (tx) => {
    await tx.update(rules).set({ state: 'closed' });
    await tx.update(channels).set({ live: false });
    await tx.update(twitchAccounts).set({ state: 'restricted' });
    await tx.delete(chatAccounts);
    await tx.update(customRewards).set({ state: 'deleted' });
  });
  await database.close();
}

interface Around {
  vault: Vault;
  panelUrl: string;
  chatLogin: string;
  twitch: { authUrl: string; clientId: string };
}

async function settleStreamers(file: string, amount: number, around: Around): Promise<void> {
  const panel = new WorldPanel(around.panelUrl);
  const logins = Array.from({ length: amount }, (_, number) => `idle_streamer_${number}`);
  await inBatches(logins, (login) =>
    panel.act('/twitch/users', { login, displayName: login, broadcasterType: 'affiliate' }),
  );
  const world = await new DemoPanel(around.panelUrl).get<World>('/world.json');
  const ids = new Map(world.twitch.users.map(({ id, login }) => [login, id]));
  const database = await openSqlite(file);
  try {
    await settleChatAccount({ ...around, database, world }, around.chatLogin);
    await inBatches(logins, (login, number) =>
      settleStreamer(database, { login, twitchId: ids.get(login) ?? '', number, nowMs: world.nowMs }, around),
    );
  } finally {
    await database.close();
  }
}

/** Every rule asks for watch time, one in four for follows too, one in ten for channel points. */
async function settleStreamer(
  database: Database,
  who: { login: string; twitchId: string; number: number; nowMs: number },
  { vault, twitch }: Around,
): Promise<void> {
  const { login, twitchId, number, nowMs } = who;
  const grant = await authorize(twitch, login, streamerScopes);
  const userId = newId(nowMs);
  const steamId = String(76561199000000000n + BigInt(number));
  await database.transaction(async (tx) => {
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
  const linked = await linkTwitch(database, { vault, userId, person, grant }, nowMs);
  if (!linked.ok) throw new Error(`${login} could not be linked: ${linked.code}`);
  await addRule(
    database,
    { userId, twitchId, steamId },
    {
      rewards: 0,
      nowMs,
      ...(number % 4 === 0 && { followDays: 7 }),
      ...(number % 10 === 0 && { pointsCost: 500 }),
    },
  );
}

async function inBatches<T>(all: readonly T[], work: (one: T, place: number) => Promise<unknown>) {
  for (let from = 0; from < all.length; from += AT_ONCE)
    await Promise.all(all.slice(from, from + AT_ONCE).map((one, place) => work(one, from + place)));
}

/** Linux counts a process's CPU time in hundredths of a second. */
const TICK_MS = 10;

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Waits until a process has done what a start brings with it: its use of ten seconds stays where it was before. */
export async function untilQuiet(cpuMs: () => number, mostMs: number): Promise<void> {
  const deadlineMs = Date.now() + mostMs;
  let last = Number.POSITIVE_INFINITY;
  while (Date.now() < deadlineMs) {
    const before = cpuMs();
    await delay(10_000);
    const used = cpuMs() - before;
    if (used >= last * 0.9 && used < 1000) return;
    last = used;
  }
}
