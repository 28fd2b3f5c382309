import { afterAll, beforeAll, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { resumeSending } from '#domain/bot/stop-sending.ts';
import { newId } from '#domain/kernel/id.ts';
import { asset } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { honestForms } from '../support/honest-forms.ts';
import { drawOn, idIn, namesOf, nounIn, nouns, type Owner, ownerOfAll } from '../support/owner.ts';
import { type RouteModule, routeModules } from '../support/route-modules.ts';
import { buy, setSellingWeb } from '../support/selling.ts';
import { changes, stored } from '../support/stored.ts';
import { Visitor } from '../support/visitor.ts';

const bot = await startFakeBot();
const closeStripe = await setSellingWeb({ BOT_URL: bot.url });
afterAll(() => Promise.all([bot.stop(), closeStripe()]));

const routes = await routeModules();
/**
 * A channel's login is no id: Twitch shows it to everybody. Pictures for links, maps of the site and the app's manifest are
 * for everybody, and so is the page of a delivery, which has its own test. The secrets of overlays and docks are no ids,
 * and theirs has one too.
 */
const idRoutes = routes.filter(
  ({ path }) =>
    path.includes(':') &&
    !path.includes(':login') &&
    !/^\/(share|sitemap|overlay|dock|manifest)\//.test(path) &&
    !path.startsWith('/raffle/') &&
    path !== '/wins/:id',
);
/** Public by design: a draw that only its streamer can check proves nothing. */
const forEverybody = ['/proof/:ruleId.json', '/proof/:ruleId', '/proof/:ruleId/:number'];

let owner: Owner;
/** Owns one of everything too, so that only ownership can be the reason for a refusal. */
let stranger: Owner;

beforeAll(async () => {
  [owner, stranger] = [await newSender(), await newSender()];
});

const idOf = (whose: Owner, { path }: RouteModule): string => idIn(path, whose);

const formOf = async ({ path }: RouteModule, sender: Owner) =>
  (await honestForms[path]?.(sender))?.form ?? {};

/** Calls a loader or action through its guards, with an id in the URL. */
function call(visitor: Visitor, route: RouteModule, id: string, form?: Record<string, string>) {
  const handler = form ? route.action : route.loader;
  const [guard] = route.guards;
  const name = /:(\w+)/.exec(route.path)?.[1] ?? '';
  // The rule's first draw.
  const path = route.path.replace(`:${name}`, id).replace(':number', '1');
  return visitor.call(handler as never, path, {
    params: { [name]: id, number: '1' },
    ...(guard && { guard }),
    ...(form && { form }),
  });
}

/** Returns the rows that an action changed in the database. */
async function changedBy<T>(act: () => Promise<T>) {
  const before = await stored();
  const answer = await act();
  const known = new Map([...namesOf(owner, 'owner'), ...namesOf(stranger, 'stranger')]);
  return { answer, changed: changes(before, await stored(), known, Date.now()) };
}

test('Every path with an id names something that this test has', () => {
  expect(idRoutes.length).toBeGreaterThan(0);
  expect(idRoutes.filter(({ path }) => nounIn(path) === null).map(({ path }) => path)).toEqual([]);
  expect(nouns.filter((noun) => owner.ids[noun] === '' || owner.ids[noun] === stranger.ids[noun])).toEqual(
    [],
  );
});

const isOpen = ({ path }: RouteModule) => forEverybody.includes(path);
/** The address of a form without a page of its own leads to the rule, whosever it is. */
const isAddress = ({ path }: RouteModule) => path === '/rules/:id/resume';
const reading = idRoutes
  .filter((route) => route.loader && !isOpen(route) && !isAddress(route))
  .map((route) => [route.path, route] as const);
const acting = idRoutes.filter(({ action }) => action).map((route) => [route.path, route] as const);

test.each(reading)('%s shows its owner the page, and others a 404', async (_, route) => {
  const id = idOf(owner, route);
  expect((await call(owner.visitor, route, id)).status).toBe(200);
  expect((await call(stranger.visitor, route, id)).status).toBe(404);
  expect((await call(stranger.visitor, route, newId(Date.now()))).status).toBe(404);
  expect((await call(owner.visitor, route, '../x')).status).toBe(404);
  expect((await call(new Visitor(), route, id)).location).toBe('/auth/signup');
});

test('Only public routes are outside the guards, and they have no actions', () => {
  const unguarded = idRoutes.filter(({ guards }) => guards.length === 0);
  expect(unguarded.map(({ path }) => path)).toEqual(forEverybody);
  expect(unguarded.filter(({ action }) => action)).toEqual([]);
});

test.each(idRoutes.filter(isOpen).map((route) => [route.path, route] as const))(
  '%s shows the same to everybody, and nothing of its owner but the rule and the channel',
  async (_, route) => {
    const giver = await newSender();
    await drawOn(giver);
    const read = async (who: Visitor) => {
      const { status, text, body } = await call(who, route, giver.ids.rules);
      return [status, text || JSON.stringify(body)] as const;
    };
    const [status, reported] = await read(new Visitor());
    expect([status, reported]).toEqual([200, expect.stringContaining(giver.ids.rules)]);
    for (const who of [giver.visitor, stranger.visitor]) expect(await read(who)).toEqual([status, reported]);
    const { rules, ...others } = giver.ids;
    for (const own of [giver.userId, giver.email, giver.steamId, giver.itemId, ...Object.values(others)])
      expect(reported).not.toContain(own);
    for (const id of [newId(Date.now()), '../x'])
      expect((await call(new Visitor(), route, id)).status).toBe(404);
  },
);

test.each(acting)('%s does nothing for a stranger, who gets a 404', async (_, route) => {
  const id = idOf(owner, route);
  // The form names the owner's things or the stranger's: neither gives access to another's.
  for (const sender of [owner, stranger]) {
    const form = await formOf(route, sender);
    const { answer, changed } = await changedBy(async () => [
      (await call(stranger.visitor, route, id, form)).status,
      (await call(new Visitor(), route, id, form)).location,
    ]);
    expect(answer).toEqual([404, '/auth/signup']);
    expect(changed).toEqual([]);
  }
});

/** Forms with an id or the name of a kind in this field. */
const sample = await ownerOfAll();
const fieldsOf = new Map<string, string[]>();
for (const route of routes) fieldsOf.set(route.path, Object.keys(await formOf(route, sample)));
// One of these forms resumes sending that was stopped before; the next owner's items need bots that send.
await resumeSending(await database(), { operatorId: 'nobody' }, { nowMs: Date.now(), systemMs: 0 });
const formsWith = (field: string) =>
  routes.flatMap((route) =>
    fieldsOf.get(route.path)?.includes(field) ? [[route.path, route] as const] : [],
  );

/** A user with a plan and an inventory who has not deposited anything yet. */
async function newSender(): Promise<Owner> {
  const sender = await ownerOfAll();
  bot.inventories.set(sender.steamId, [{ ...asset(sender.kind.marketHashName), tradable: true }]);
  await buy(sender, { product: 'streamer', tier: 'basic', period: 'month' });
  return sender;
}

test.each(formsWith('item'))(
  '%s gives the same answer for another user’s things in its fields as for unknown ones',
  async (_, route) => {
    const sender = await newSender();
    const send = async (item: string) => {
      const form = { requestId: newId(Date.now()), item, [`item:${item}`]: '1' };
      const { status, body } = await call(sender.visitor, route, idOf(sender, route), form);
      return { status, error: body?.error };
    };
    const nobodysId = newId(Date.now());
    const pairs = [
      [kindKey(owner.kind), kindKey({ appId: 730, marketHashName: 'Unheard of' })],
      ...[owner.itemId, ...nouns.map((noun) => owner.ids[noun])].map((id) => [id, nobodysId] as const),
    ] as const;
    const { changed } = await changedBy(async () => {
      for (const [theirs, nobodys] of pairs) {
        const refused = await send(theirs);
        expect(refused.status).toBeGreaterThanOrEqual(400);
        expect(refused).toEqual(await send(nobodys));
      }
    });
    expect(changed).toEqual([]);
    // Ownership alone caused the refusal: the sender can pick their own.
    const own = await formOf(route, sender);
    expect((await call(sender.visitor, route, idOf(sender, route), own)).status).toBe(302);
  },
);

test.each(formsWith('channel'))(
  '%s gives the same answer for a channel that does not admit the sender as for an unknown one',
  async (_, route) => {
    const sender = await newSender();
    const send = async (channel: string) => {
      const form = { ...(await formOf(route, sender)), points: '', channel };
      const { status, body } = await call(sender.visitor, route, '', form);
      return { status, error: body?.result?.error };
    };
    const { changed } = await changedBy(async () => {
      const refused = await send(owner.twitchId);
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused).toEqual(await send('1'));
    });
    expect(changed).toEqual([]);
    expect((await send(sender.twitchId)).status).toBe(302);
  },
);

test.each(formsWith('requestId'))(
  'A form to %s with another user’s id touches nothing of theirs',
  async (_, route) => {
    const sender = await newSender();
    const { changed } = await changedBy(async () => {
      for (const requestId of [owner.itemId, ...nouns.map((noun) => owner.ids[noun])]) {
        const form = { ...(await formOf(route, sender)), requestId };
        const { body } = await call(sender.visitor, route, idOf(sender, route), form);
        expect(JSON.stringify(body)).not.toContain(owner.login);
      }
    });
    // An id from another table is unknown in this one, so the sender's own action may succeed.
    expect(changed.filter((line) => /"<owner>"/.test(line) || /^- .*<owner/.test(line))).toEqual([]);
  },
);

test.each([
  ['/rules/new', 'rules'],
  ['/items/deposit', 'transfers'],
  ['/items/return', 'transfers'],
] as const)('A form to %s is refused with the id of another user’s %s', async (path, noun) => {
  const route = routes.find((each) => each.path === path) as RouteModule;
  const sender = await newSender();
  const form = { ...(await formOf(route, sender)), requestId: owner.ids[noun] };
  const { answer, changed } = await changedBy(() => call(sender.visitor, route, '', form));
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(changed).toEqual([]);
});
