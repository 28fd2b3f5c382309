import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequestListener } from '@remix-run/node-fetch-server';
import { eq } from 'drizzle-orm';
import { database } from '#app/services/database.server.ts';
import { bots } from '#db/schema/bot.ts';
import { issueExtensionCode } from '#domain/identity/access/issue-extension-code.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import { revokeApiToken } from '#domain/identity/access/revoke-api-token.ts';
import { steamIdBase } from '#sandbox/steam/people.ts';
import { startSteam } from '#sandbox/steam/server.ts';
import { type ItemKind, offerState } from '#sandbox/steam/state.ts';
import { steamKinds } from '#sandbox/steam/steam-kinds.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { serve } from '#tests/app/api/support/app.ts';
import { claimable } from '#tests/app/api/support/claimable.ts';
import { holdToken, streamer } from '#tests/app/api/support/people.ts';
import { setWeb } from '#tests/app/support/web.ts';
import { addBot, asset, deposit, START_MS, sendQueued } from './fixtures.ts';

const [someKind] = steamKinds as [ItemKind];
const certificateDirectory = 'node_modules/.cache/keepsake-test-ca';

/** A claim in the instance's store that waits on Steam, as its own API tells it. */
async function sendClaim() {
  const owner = await streamer();
  const botId = await addBot(owner.db);
  await deposit(owner.db, owner, [asset('Demo Rifle')], START_MS);
  const winner = await claimable(owner.db, owner);
  await winner.app.post('/api/v1/claims', { json: { reward_id: winner.rewardId } });
  await sendQueued(owner.db, Date.now());
  const program = await holdToken(winner);
  const { attributes } = (await program.get('/api/v1/open-offers')).body.data[0];
  const [bot] = await owner.db.read.select().from(bots).where(eq(bots.id, botId));
  return { winner, attributes, botSteamId: bot?.steamId ?? '' };
}

/** The same offer in the sandbox's Steam. */
function showOnSteam({ attributes, botSteamId, winner }: Awaited<ReturnType<typeof sendClaim>>) {
  const accountIdOf = (steamId: string) => Number(BigInt(steamId) - steamIdBase);
  const options = { now: Date.now };
  const draft = new SteamWorld(options);
  const kind = { ...someKind, appid: 730 };
  draft.describe(kind);
  const bot = draft.addUser({ name: 'Demo bot', accountId: accountIdOf(botSteamId) });
  const viewer = draft.addUser({ name: 'Demo viewer', accountId: accountIdOf(winner.steamId) });
  const item = { ...draft.give(bot.steamId, kind), assetid: attributes.items[0].asset_id as string };
  const second = draft.nowSeconds();
  const state = draft.toJSON();
  for (const person of state.people) if (person.steamId === bot.steamId) person.items = [item];
  state.offers.push({
    id: attributes.trade_offer_id,
    from: bot.steamId,
    to: viewer.steamId,
    give: [item],
    receive: [],
    message: `Keepsake ${attributes.security_code} – your reward. You give nothing.`,
    state: offerState.active,
    createdAt: second,
    updatedAt: second,
    expiresAt: second + 86_400,
    tradeId: null,
    escrowEndsAt: 0,
    counters: null,
  });
  return { world: SteamWorld.fromJSON(state, options), viewer };
}

/** The API of the instance on a port of its own, which may be away for a while. */
async function serveApi() {
  const answer = createRequestListener((request) => serve(request, '127.0.0.1'));
  const state = { isAway: false };
  const server = createServer((request, response) =>
    state.isAway ? response.destroy() : answer(request, response),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    state,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** An instance with an offer that waits for a viewer, and the sandbox's Steam, which shows its page. */
export async function setCompanionStage() {
  await setWeb();
  const claim = await sendClaim();
  const { world, viewer } = showOnSteam(claim);
  const api = await serveApi();
  const steam = await startSteam({ world, directory: certificateDirectory, proxyPort: 0, httpPort: 0 });
  const session = `${viewer.steamId}%7C%7C${issueToken(world.state, viewer, 'access')}`;
  return {
    instance: api.url,
    /** A code as the instance's page shows it. */
    async code(): Promise<string> {
      const issued = await issueExtensionCode(await database(), { userId: claim.winner.userId }, Date.now());
      if (!issued.ok) throw new Error(issued.code);
      return issued.code;
    },
    /** The person revokes all that was signed in by a code, as in the settings of their account. */
    async revoke(): Promise<void> {
      const db = await database();
      const { userId } = claim.winner;
      for (const { id } of await listApiTokens(db, { userId }))
        await revokeApiToken(db, { userId, tokenId: id });
    },
    /** Breaks the instance off, or brings it back. */
    setAway(isAway: boolean): void {
      api.state.isAway = isAway;
    },
    steamProxy: steam.proxyUrl,
    offerAddress: `https://steamcommunity.com/tradeoffer/${claim.attributes.trade_offer_id}/`,
    cookie: {
      name: 'steamLoginSecure',
      value: session,
      domain: 'steamcommunity.com',
      path: '/',
      secure: true,
    },
    async stop() {
      api.stop();
      await steam.close();
    },
  };
}
