import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { desc, eq } from 'drizzle-orm';
import { onTestFinished } from 'vitest';
import { build } from '#bot/server.ts';
import { mails } from '#db/schema/outbox.ts';
import { linkSteam } from '#domain/account/link-steam.ts';
import { linkTwitch } from '#domain/account/link-twitch.ts';
import { streamerScopes } from '#domain/account/twitch-scopes.ts';
import { createVault } from '#domain/vault.ts';
import { nextNumber } from '#tests/support/fixtures.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';
import { type SteamStage, setSteamStage, startBot } from '#tests/support/steam-stage.ts';
import { setWebEnvironment } from '../../support/web-environment.ts';

/** The world's clock as a service, as the demonstration has it. */
async function serveClock(stage: SteamStage): Promise<string> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (_, response) => {
    response.end(JSON.stringify({ offsetMs: stage.clock.now() - Date.now() }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The bot's own process, in this one: the real Steam packages against the sandbox's Steam. */
async function serveBot(stage: SteamStage): Promise<string> {
  const steam = await startBot(stage);
  const twitch = { leaveChannel: async () => false };
  const server = build({ ...stage.deps(), steam, twitch, parts: [steam] });
  onTestFinished(() => server.close());
  return server.listen({ port: 0, host: '127.0.0.1' });
}

/** The whole product but for Twitch: store, bot and Steam, with the web process' configuration pointed at them. */
export async function setWorld() {
  const stage = await setSteamStage();
  const [clockUrl, botUrl] = await Promise.all([serveClock(stage), serveBot(stage)]);
  setWebEnvironment({
    KEEPSAKE_DATA_DIR: stage.folder,
    KEEPSAKE_CLOCK_URL: clockUrl,
    BOT_URL: botUrl,
    ENCRYPTION_KEY: stage.encryptionKey,
  });
  return stage;
}

/** The token of the last mail to an address. */
export async function mailedToken({ database }: SteamStage, email: string): Promise<string> {
  const [mail] = await database.read
    .select()
    .from(mails)
    .where(eq(mails.recipient, email))
    .orderBy(desc(mails.id));
  return mail?.values.token ?? '';
}

/** What a person does in a browser at Twitch and Steam, and cannot do through the API. Answers their trade link. */
export async function linkAccounts(stage: SteamStage, userId: string, permissions: 'viewer' | 'streamer') {
  const number = nextNumber();
  const steam = stage.world.addUser({ name: `Demo ${number}`, accountId: 900_000 + number });
  const nowMs = stage.clock.now();
  const twitchId = String(80_000 + number);
  const login = `demo_${number}`;
  const linked = await linkTwitch(
    stage.database,
    {
      vault: createVault(Buffer.from(stage.encryptionKey, 'hex').toString('base64')),
      userId,
      person: { twitchId, login, displayName: login, pictureUrl: '', email: null },
      grant: {
        accessToken: 'access',
        refreshToken: 'refresh',
        scopes: permissions === 'streamer' ? streamerScopes : [],
        obtainedAtMs: Date.now(),
        lifetimeSeconds: 14_400,
      },
    },
    nowMs,
  );
  if (!linked.ok) throw new Error(linked.code);
  const known = await linkSteam(stage.database, { userId, steamId: steam.steamId }, nowMs);
  if (!known.ok) throw new Error(known.code);
  return { twitchId, steamId: steam.steamId, tradeLink: stage.world.tradeUrlOf(steam) };
}
