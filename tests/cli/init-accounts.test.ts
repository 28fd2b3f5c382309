import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { recordUsedBots } from '#domain/bot/record-used-bots.ts';
import { readRefreshToken } from '#platform/steam-refresh-token.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { serveWorld } from '#tests/sandbox/steam/stage.ts';
import { clientId, startDemo } from '#tests/sandbox/twitch/start-demo.ts';
import { addBot } from '#tests/support/fixtures.ts';
import { occupyLeases } from '#tests/support/leases.ts';
import { until } from '#tests/support/steam-stage.ts';
import { connectChatAccounts } from '../../cli/init/connect-chat-accounts.ts';
import { findRunningBots } from '../../cli/init/store.ts';
import { tryBots } from '../../cli/init/try-bots.ts';

let printed: string[];
let leaving: AbortController;
const print = (line: string) => printed.push(line);

beforeEach(() => {
  printed = [];
  leaving = new AbortController();
});

async function setSteamStage() {
  const stage = await serveWorld();
  const refreshToken = issueToken(stage.world.state, stage.bot, 'refresh');
  const bot = { name: 'Bot 1', refreshToken, identitySecret: stage.login.identitySecret };
  const visit = { print, left: leaving.signal, soundBots: new Set<string>(), tokens: new Map() };
  const person = stage.world.userBySteamId(stage.bot.steamId);
  if (!person) throw new Error('no bot');
  const found = async (credentials = bot) =>
    (await tryBots([credentials], stage.steam.proxyUrl, visit)).map(({ name }) => name);
  return { ...stage, bot, person, found };
}

test('An account that cannot trade is found, each reason by its name', async () => {
  const { world, person, found, bot, log } = await setSteamStage();
  person.isLimited = true;
  person.isLocked = true;
  world.setTradeBan(person.steamId, world.nowSeconds() + 1000);
  expect(await found()).toEqual(['steamAccountLocked', 'steamAccountLimited', 'steamTradeBanned']);
  Object.assign(person, { isLimited: false, isLocked: false, tradeBannedUntil: 0 });
  expect(await found()).toEqual([]);
  const logOns = () => log.filter((line) => line.includes('logged on')).length;
  const before = logOns();
  expect(await found()).toEqual([]);
  expect(logOns()).toBe(before);
  expect(await found({ ...bot, refreshToken: 'nonsense' })).toEqual(['steamLogOnRefused']);
  expect(readRefreshToken('nonsense', Date.now()).ok).toBe(false);
});

test('A new authenticator is told with the day from which on nothing is held, and is no fault', async () => {
  const { world, person, found } = await setSteamStage();
  world.setEscrowDays(person.steamId, 15);
  expect(await found()).toEqual([]);
  const day = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  expect(printed.join('\n')).toMatch(
    new RegExp(`steamAuthenticatorNew: .*Bot 1.*Deliver nothing before ${day}`, 's'),
  );
});

async function setChatStage() {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const twitch = await startDemo();
  const store = join(folder, 'store');
  const environment = {
    KEEPSAKE_DATA_DIR: store,
    TWITCH_CLIENT_ID: clientId,
    TWITCH_AUTH_URL: `${twitch.url}/auth`,
    TWITCH_BOT_LOGIN: twitch.bot.login,
  };
  const run = (...answers: string[]) =>
    connectChatAccounts(environment, {
      print,
      prompt: { ask: async () => answers.shift() ?? null, left: leaving.signal, close: () => {} },
    });
  /** Answers as a person does on the page that the last address leads to. */
  const decide = async (login: string, decision: 'approve' | 'deny') => {
    const codes = () => printed.flatMap((line) => [...line.matchAll(/(http:\S+) .* code (\S+)/g)]);
    await until(() => codes().length > decided, 'a code');
    decided = codes().length;
    const [, address = '', code = ''] = codes().at(-1) ?? [];
    const body = new URLSearchParams({ user_code: code, login, decision });
    expect((await fetch(address, { method: 'POST', body })).status).toBe(200);
  };
  let decided = 0;
  return { twitch, store, environment, run, decide };
}

test('The chat account is connected by its code into a store that is made for it', async () => {
  const { twitch, store, environment, run, decide } = await setChatStage();
  const connecting = run('yes', 'yes');
  await decide(twitch.bot.login, 'deny');
  await decide(twitch.bot.login, 'approve');
  expect(await connecting).toBe(true);
  expect(printed.join('\n')).toMatch(/lasts for \d+ more min.*was declined.*is connected\.$/s);
  printed = [];
  expect(await run()).toBe(true);
  expect(printed).toEqual([`${twitch.bot.login} is connected.`]);

  const db = await openSqlite(join(store, 'keepsake.db'));
  await addBot(db, 'Bot 1');
  expect(await findRunningBots(environment)).toEqual([]);
  await recordUsedBots(
    db,
    { epoch: 1, used: [{ botId: 'Bot 1', isReady: true }] },
    { nowMs: 1, systemMs: 1 },
  );
  expect(await findRunningBots(environment)).toEqual([]);
  await occupyLeases(db, ['steam']);
  expect(await findRunningBots(environment)).toEqual(['Bot 1']);
  await db.close();
});

test('Connecting can be left for later, and whoever leaves does not wait', async () => {
  const { run } = await setChatStage();
  expect(await run('')).toBe(true);
  expect(printed.at(-1)).toContain('connect-chat-account');
  const connecting = run('yes');
  await until(() => printed.some((line) => line.startsWith('Waiting.')), 'the wait');
  leaving.abort();
  expect(await connecting).toBe(false);
  expect(printed.at(-1)).toBe('Stopped. Nothing was stored.');
});
