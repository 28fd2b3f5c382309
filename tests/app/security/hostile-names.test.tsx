import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eq } from 'drizzle-orm';
import type { ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { createRoutesStub } from 'react-router';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Shell } from '#app/components/shell.tsx';
import { SurroundingsContext } from '#app/components/surroundings.tsx';
import { database } from '#app/services/database.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { users } from '#db/schema/user.ts';
import { issueApiToken } from '#domain/account/issue-api-token.ts';
import { linkSteam } from '#domain/account/link-steam.ts';
import { linkTwitch } from '#domain/account/link-twitch.ts';
import { setTradeLink } from '#domain/account/set-trade-link.ts';
import { formatTradeLink } from '#domain/account/trade-link.ts';
import { day } from '#domain/clock.ts';
import { newId } from '#domain/id.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { streamerGrant } from '#tests/domain/account/people.ts';
import { addBot, addRule, asset, nextNumber, steamIdOf } from '#tests/support/fixtures.ts';
import { member, signUpForm } from '../support/member.ts';
import { type RouteModule, routeModules } from '../support/route-modules.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

/** What somebody might write where a name is asked; short enough for every field. */
const hostile = '<img src=x onerror=a()>"\'{{t}}';
const hostileItem = asset(hostile, {
  typeLine: `<script>b()</script>`,
  exterior: hostile,
  iconUrl: '"><svg onload=c()>',
});
const raw = /<img src=x|<script>b|<svg onload|onerror=a\(\)>"/;

/** The bot's process, which hands on whatever Steam says of items. */
const bot = createServer((_, response) => {
  const body = { items: [{ ...hostileItem, tradable: true }], ageMs: 0 };
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
});
await new Promise<void>((resolve) => bot.listen(0, '127.0.0.1', resolve));
await setWeb({ BOT_URL: `http://127.0.0.1:${(bot.address() as AddressInfo).port}` });
afterAll(() => {
  bot.closeAllConnections();
  bot.close();
});

let visitor: Visitor;
let ids: Record<string, string>;

/** A streamer who, like everything that is theirs, is called something that no page may take for its own markup. */
beforeAll(async () => {
  const { visitor: browser, email } = await member({ ...signUpForm(), name: hostile });
  visitor = browser;
  const [db, nowMs] = [await database(), Date.now()];
  const [user] = await db.read.select().from(users).where(eq(users.email, email));
  const userId = user?.id ?? '';
  expect(user?.name).toBe(hostile);
  const [twitchId, steamId] = [String(70_000 + nextNumber()), steamIdOf(nextNumber())];
  const person = { twitchId, login: hostile, displayName: hostile, pictureUrl: '', email };
  await linkTwitch(db, { vault: vault(), userId, person, grant: streamerGrant }, nowMs);
  await linkSteam(db, { userId, steamId, personaName: hostile }, nowMs);
  await setTradeLink(db, { userId, tradeLink: formatTradeLink({ steamId, token: 'abcdefgh' }) }, nowMs);
  const botId = await addBot(db);
  const ruleId = await addRule(db, { userId, twitchId, steamId }, { rewards: 0, nowMs, name: hostile });
  const token = await issueApiToken(db, { userId, name: hostile }, nowMs);
  const transferId = newId(nowMs);
  const request = { requestId: transferId, userId, assets: [hostileItem] };
  expect(await requestDeposit(db, request, nowMs, nowMs)).toMatchObject({ ok: true });
  await db.transaction(async (tx) => {
    await tx.insert(items).values({
      ...hostileItem,
      assetId: '1',
      id: newId(nowMs),
      ownerId: userId,
      botId,
      state: 'held',
      lockedUntilMs: 0,
      depositorSteamId: steamId,
      receivedAtMs: nowMs - 9 * day,
    });
    const live = { live: true, title: hostile, gameName: hostile, streamId: 's1', streamStartedAtMs: nowMs };
    await tx.update(channels).set(live).where(eq(channels.id, twitchId));
  });
  ids = { tokens: token.ok ? token.tokenId : '', transfers: transferId, rules: ruleId };
});

/** The names of all elements and attributes, as a browser reads them: what stands in quotes is no markup. */
const namesIn = (html: string): string[] =>
  [...html.matchAll(/<([a-z][\w-]*)((?:\s+[\w:.-]+(?:="[^"]*")?)*)\s*\/?>/gi)].flatMap(
    ([, element = '', attributes = '']) => [
      element.toLowerCase(),
      ...[...attributes.matchAll(/\s([\w:.-]+)(?:="[^"]*")?/g)].map(([, name = '']) => name.toLowerCase()),
    ],
  );

/** Draws a page from what its loader answers, inside the shell, as the server does. */
function draw(Page: ComponentType<never>, loaderData: unknown): string {
  const Drawn = Page as ComponentType<Record<string, unknown>>;
  const user = { name: hostile, avatarUrl: null, verified: true, readyCount: 1, twitchRestricted: false };
  const surroundings = { user, timeZone: 'UTC', imageUrl: 'http://localhost:3013/images/' };
  const Stub = createRoutesStub([
    {
      path: '/',
      Component: () => (
        <SurroundingsContext value={surroundings}>
          <Shell>
            <Drawn loaderData={loaderData} params={{}} matches={[]} />
          </Shell>
        </SurroundingsContext>
      ),
    },
  ]);
  return renderToString(
    <I18nextProvider i18n={translations('en')}>
      <Stub />
    </I18nextProvider>,
  );
}

const hasPage = (route: RouteModule): route is RouteModule & Required<Pick<RouteModule, 'page' | 'loader'>> =>
  route.page !== undefined && route.loader !== undefined;
/** Layouts and pages for who is not signed in show nothing of anybody. */
const pages = (await routeModules())
  .filter(hasPage)
  .filter(({ path }) => !path.startsWith('/auth/') && path !== '/*' && !path.startsWith('/email/'))
  .map((route) => [route.path, route] as const);

test.each(pages)('%s shows hostile names as the text that they are', async (_, route) => {
  const noun = /([^/]+)\/:id/.exec(route.path)?.[1] ?? '';
  const id = ids[noun] ?? '';
  const [guard] = route.guards;
  const path = route.path.replace(':id', id);
  const answer = await visitor.call(route.loader as never, path, { params: { id }, ...(guard && { guard }) });
  // A page that needs something more to show leads elsewhere.
  if (answer.status !== 200) return;
  const html = draw(route.page as never, answer.body);
  expect(raw.test(html)).toBe(false);
  expect(html.includes('&lt;img src=x onerror=a()&gt;')).toBe(true);
  expect(namesIn(html).filter((name) => name === 'script' || name.startsWith('on'))).toEqual([]);
});

test.each([
  ['/settings', 'token'],
  ['/profile', 'streamer and Steam account'],
  ['/items', 'items of the Steam inventory'],
  ['/items/custody', 'items in custody'],
  ['/transfers', 'items on their way'],
])('%s really showed the hostile names of the %s', async (path) => {
  const route = pages.find(([each]) => each === path)?.[1];
  if (!route) throw new Error(`no page ${path}`);
  const [guard] = route.guards;
  const answer = await visitor.call(route.loader as never, path, { ...(guard && { guard }) });
  const shown = draw(route.page as never, answer.body).match(/&lt;img src=x/g) ?? [];
  // More often than in the shell, which names the person on every page.
  const shell = draw((() => null) as never, null).match(/&lt;img src=x/g) ?? [];
  expect(shown.length).toBeGreaterThan(shell.length);
});
