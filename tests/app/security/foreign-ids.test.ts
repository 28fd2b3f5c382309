import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { action as signInAction } from '#app/routes/auth/signin.tsx';
import { database } from '#app/services/database.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { issueApiToken } from '#domain/account/issue-api-token.ts';
import { linkSteam } from '#domain/account/link-steam.ts';
import { linkTwitch } from '#domain/account/link-twitch.ts';
import { listSessions } from '#domain/account/list-sessions.ts';
import { setTradeLink } from '#domain/account/set-trade-link.ts';
import { formatTradeLink } from '#domain/account/trade-link.ts';
import { day } from '#domain/clock.ts';
import { newId } from '#domain/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { streamerGrant } from '#tests/domain/account/people.ts';
import { addBot, addPerson, addRule, asset, nextNumber, steamIdOf } from '#tests/support/fixtures.ts';
import { admit } from '#tests/support/guests.ts';
import { member, signUpForm } from '../support/member.ts';
import { type RouteModule, routeModules } from '../support/route-modules.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

/** What the ids in addresses name, by the part of the address before them. */
const nouns = ['sessions', 'tokens', 'transfers', 'rules', 'rewards', 'guests'] as const;
type Noun = (typeof nouns)[number];
const isNoun = (word: string): word is Noun => (nouns as readonly string[]).includes(word);

/** What some acts must be told before they look whose the thing is; without it, they say that the form is unreadable. */
const form = { requestId: newId(Date.now()) };

/** What anybody may read is nobody's own: proofs have no owner here. */
const idRoutes = (await routeModules()).filter(
  ({ path }) => path.includes(':') && !path.startsWith('/proof/'),
);
const nounOf = (path: string): string => /([^/]+)\/:[^/]+/.exec(path)?.[1] ?? '';

interface Owner {
  visitor: Visitor;
  ids: Record<Noun, string>;
}
let owner: Owner;
let stranger: Visitor;

/** A streamer who has one of everything that an address can name. */
async function ownerOfAll(): Promise<Owner> {
  const { visitor, email } = await member();
  const db = await database();
  const nowMs = Date.now();
  const [user] = await db.read.select().from(users).where(eq(users.email, email));
  const userId = user?.id ?? '';
  const steamId = steamIdOf(nextNumber());
  const twitchId = String(60_000 + nextNumber());
  const person = { twitchId, login: 'demo_owner', displayName: 'Demo_Owner', pictureUrl: '', email };
  await linkTwitch(db, { vault: vault(), userId, person, grant: streamerGrant }, nowMs);
  await linkSteam(db, { userId, steamId }, nowMs);
  await setTradeLink(db, { userId, tradeLink: formatTradeLink({ steamId, token: 'abcdefgh' }) }, nowMs);
  await addBot(db);
  const streamer = { userId, twitchId, steamId };
  // It draws, so that it has weights as well.
  const rules = await addRule(db, streamer, { type: 'random', rewards: 0, nowMs });
  const guest = await addPerson(db);
  await admit(db, streamer, guest);
  const token = await issueApiToken(db, { userId, name: 'Script' }, nowMs);
  const transferId = newId(nowMs);
  const assets = [asset()];
  await requestDeposit(db, { requestId: transferId, userId, assets }, nowMs, Date.now());
  await new Visitor().call(signInAction, '/auth/signin', {
    form: { email, password: signUpForm().password },
  });
  const sessions = await listSessions(db, { userId, currentToken: null }, nowMs);
  const current = (await listSessions(db, { userId, currentToken: visitor.sessionToken() }, nowMs))[0]?.id;
  return {
    visitor,
    ids: {
      sessions: sessions.find(({ id }) => id !== current)?.id ?? '',
      tokens: token.ok ? token.tokenId : '',
      transfers: transferId,
      rules,
      guests: guest.userId,
      rewards: await promiseTo({ userId, twitchId, ruleId: rules }, nowMs),
    },
  };
}

/** A reward that waits for the person to claim it. */
async function promiseTo(viewer: { userId: string; twitchId: string; ruleId: string }, nowMs: number) {
  const { userId, twitchId, ruleId } = viewer;
  const db = await database();
  const [bot] = await db.read.select().from(bots).limit(1);
  const [itemId, rewardId] = [newId(nowMs), newId(nowMs)];
  await db.transaction(async (tx) => {
    await tx.insert(items).values({
      ...asset(),
      id: itemId,
      ownerId: userId,
      botId: bot?.id ?? '',
      state: 'held',
      lockedUntilMs: 0,
      depositorSteamId: steamIdOf(1),
      receivedAtMs: nowMs - 9 * day,
    });
    await tx.insert(rewards).values({
      id: rewardId,
      ruleId,
      itemId,
      state: 'promised',
      position: rewardId,
      twitchId,
      userId,
      promisedAtMs: nowMs,
      claimUntilMs: nowMs + day,
      createdAtMs: nowMs,
    });
  });
  return rewardId;
}

function idFor({ path }: RouteModule): string {
  const noun = nounOf(path);
  return isNoun(noun) ? owner.ids[noun] : '';
}

/** Calls a loader or an action through the guards around it, with an id in its address. */
function call(visitor: Visitor, route: RouteModule, id: string, sent?: Record<string, string>) {
  const handler = sent ? route.action : route.loader;
  const [guard] = route.guards;
  const name = /:([^/]+)/.exec(route.path)?.[1] ?? '';
  return visitor.call(handler as never, route.path.replace(`:${name}`, id), {
    params: { [name]: id },
    ...(guard && { guard }),
    ...(sent && { form: sent }),
  });
}

beforeAll(async () => {
  owner = await ownerOfAll();
  stranger = (await member()).visitor;
});

test('Every address that takes an id names something that this test has', () => {
  expect(idRoutes.length).toBeGreaterThan(0);
  expect(idRoutes.filter(({ path }) => !isNoun(nounOf(path))).map(({ path }) => path)).toEqual([]);
  expect(Object.values(owner.ids).every((id) => id !== '')).toBe(true);
});

const reading = idRoutes.filter(({ loader }) => loader).map((route) => [route.path, route] as const);
const acting = idRoutes.filter(({ action }) => action).map((route) => [route.path, route] as const);

test.each(reading)(
  '%s shows its owner the page, and anybody else that there is nothing',
  async (_, route) => {
    const id = idFor(route);
    expect((await call(owner.visitor, route, id)).status).toBe(200);
    expect((await call(stranger, route, id)).status).toBe(404);
    expect((await call(stranger, route, newId(Date.now()))).status).toBe(404);
    expect((await call(owner.visitor, route, '../x')).status).toBe(404);
    expect((await call(new Visitor(), route, id)).location).toBe('/auth/signup');
  },
);

test.each(acting)('%s does nothing for a stranger, who is told that there is nothing', async (_, route) => {
  const id = idFor(route);
  const before = await everything();
  expect((await call(stranger, route, id, form)).status).toBe(404);
  expect((await call(new Visitor(), route, id, form)).location).toBe('/auth/signup');
  expect(await everything()).toEqual(before);
});

/** What a stranger's act could have changed. */
async function everything() {
  const db = await database();
  const sessions = await call(
    owner.visitor,
    reading[0]?.[1] as RouteModule,
    idFor(reading[0]?.[1] as RouteModule),
  );
  return [
    sessions.status,
    await db.read.select().from(transfers),
    await db.read.select().from(rewards),
    await db.read.select().from(items),
  ];
}
