// A companion app as somebody writes it who has only the served document: every name and type below comes from it. It has a
// TypeScript project of its own, because its types are generated when the test runs.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from 'served-api';
import { v7 as uuid } from 'uuid';
import { expect } from 'vitest';
import type { Device, Stage } from './stage.ts';

type Api = Client<paths>;
const password = 'a short sentence';

const apiOn = (device: Device, { origin }: Stage): Api =>
  createClient<paths>({ baseUrl: origin, fetch: (request) => device.fetch(request) });

interface Reply<Data, Errors> {
  data?: Data;
  error?: Errors;
  response: Response;
}

/** The document of a call that has to succeed. */
async function must<Data, Errors>(asked: Promise<Reply<Data, Errors>>): Promise<Data> {
  const { data, error, response } = await asked;
  if (data === undefined) throw new Error(`${response.status} ${response.url}: ${JSON.stringify(error)}`);
  return data;
}

/** The first error of a call that has to be refused. */
async function refusalOf<E extends { code: string }>(
  asked: Promise<Reply<unknown, { errors: E[] }>>,
): Promise<E> {
  const { error, response } = await asked;
  const [first] = error?.errors ?? [];
  if (!first) throw new Error(`${response.status} ${response.url} refused nothing`);
  return first;
}

/** Signs up, verifies the address, links Twitch and Steam in a browser, and goes on with a token on a phone. */
async function join(stage: Stage, name: string, permissions: 'viewer' | 'streamer') {
  const browser = stage.newDevice();
  const site = apiOn(browser, stage);
  const email = `${name}@example.org`;
  const registered = await must(
    site.POST('/api/v1/register', {
      body: { name, email, password, password_confirmation: password, terms: true },
    }),
  );
  expect(registered.data.attributes.verified).toBe(false);
  const token = await stage.mailedToken(email);
  await must(site.POST('/api/v1/email/verifications', { body: { token } }));
  const begun = await must(site.POST('/api/v1/register/twitch', { body: { permissions } }));
  const twitchId = await stage.consentOnTwitch(browser, begun.data.attributes.url);
  const { steamId, tradeLink } = await stage.signInOnSteam(browser);

  const phone = stage.newDevice();
  const app = apiOn(phone, stage);
  const code = await stage.readAppCode(browser);
  const issued = await must(app.POST('/api/v1/extension/token', { body: { code, device: 'Demo phone' } }));
  phone.token = issued.data.attributes.token;
  const set = await must(
    app.POST('/api/v1/users/update_steam_trade_link', { body: { trade_link: tradeLink } }),
  );
  expect(set.meta.hold_days).toBe(0);
  const me = await must(app.GET('/api/v1/users'));
  const steam = me.included?.find((each) => each.type === 'steam-accounts');
  const twitch = me.included?.find((each) => each.type === 'twitch-accounts');
  expect([steam?.attributes.trade_link, twitch?.id]).toEqual([tradeLink, twitchId]);
  expect(me.data.relationships?.twitchAccount?.data?.id).toBe(twitchId);
  return { site, app, email, userId: me.data.id, twitchId, steamId };
}

type Member = Awaited<ReturnType<typeof join>>;

const transferOf = async ({ app }: Member, id: string) =>
  (await must(app.GET('/api/v1/transfers/{id}', { params: { path: { id } } }))).data.attributes;

/** Moves the streamer's items on Steam into custody. A repeated request is the same deposit. */
async function deposit(stage: Stage, streamer: Member) {
  stage.giveItem(streamer.steamId);
  const { data: found } = await must(
    streamer.app.GET('/api/v1/inventory', { params: { query: { 'filter[app_id]': '730' } } }),
  );
  expect(found[0]?.attributes).toMatchObject({ pieces: 1, available: 1 });
  const items = [{ kind_id: found[0]?.attributes.kind_id ?? '', quantity: 1 }];
  const header = { 'Idempotency-Key': uuid() };
  const ask = () => must(streamer.app.POST('/api/v1/items/deposit', { body: { items }, params: { header } }));
  const [first, again] = [await ask(), await ask()];
  expect(again.data.map(({ id }) => id)).toEqual(first.data.map(({ id }) => id));
  const id = first.data[0]?.id ?? '';
  const sent = await stage.eventually(async () => {
    const transfer = await transferOf(streamer, id);
    return transfer.state === 'sent' ? transfer : null;
  }, 'the offer of the deposit');
  stage.acceptOffer(sent.trade_offer_id, streamer.steamId);
  await stage.eventually(async () => (await transferOf(streamer, id)).state === 'accepted', 'the deposit');
  return items;
}

const itemOf = async ({ app }: Member) => (await must(app.GET('/api/v1/items'))).data[0]?.attributes;

/** Opens a rule and puts the deposited item on it, which is refused until its cooldown is over. */
async function openRule(stage: Stage, streamer: Member, items: Awaited<ReturnType<typeof deposit>>) {
  const { app } = streamer;
  expect(await itemOf(streamer)).toMatchObject({ total: 1, available: 0, unavailable: 1, in_cooldown: 1 });
  const created = await must(
    app.POST('/api/v1/rules', { body: { name: 'For those who stay', rule_type: 'one', follow_days: 3 } }),
  );
  expect(created.meta.message).toBe('Rule successfully created');
  const params = { path: { id: created.data.id } };
  const add = () => app.POST('/api/v1/rules/{id}/rewards', { params, body: { items } });
  expect((await refusalOf(add())).code).toBe('notEnough');
  stage.passDays(8);
  await stage.eventually(async () => (await itemOf(streamer))?.available === 1, 'the end of the cooldown');
  expect((await must(add())).data.attributes.pool.free).toBe(1);
  return params;
}

/** The viewer follows for long enough, is promised the reward, claims it, and accepts the offer. */
async function earn(stage: Stage, streamer: Member, viewer: Member) {
  const { app } = viewer;
  const [browsed] = (await must(app.GET('/api/v1/channels'))).data;
  expect([browsed?.id, browsed?.attributes.free_rewards]).toEqual([streamer.twitchId, 1]);
  stage.follow(streamer.twitchId, viewer.twitchId, 2);
  const query = { include: 'channel' };
  const progress = await stage.eventually(async () => {
    const { data, included } = await must(app.GET('/api/v1/reward-progress', { params: { query } }));
    return data[0]?.attributes.follow?.have_days === 2 ? { rule: data[0], included } : null;
  }, 'the follow');
  expect(progress.rule.attributes.follow).toMatchObject({ need_days: 3, met: false });
  expect(progress.included?.map(({ id }) => id)).toEqual([streamer.twitchId]);
  stage.passDays(2);
  const promised = await stage.eventually(async () => {
    const filter = { 'filter[state]': 'promised' as const };
    return (await must(app.GET('/api/v1/rewards', { params: { query: filter } }))).data[0];
  }, 'the promise');
  const claimed = await must(app.POST('/api/v1/claims', { body: { reward_id: promised.id } }));
  expect(claimed.data.attributes.state).toBe('reserved');
  const offer = await stage.eventually(async () => {
    const params = { path: { id: promised.id } };
    const { offer } = (await must(app.GET('/api/v1/rewards/{id}', { params }))).data.attributes;
    return offer?.state === 'sent' ? offer : null;
  }, 'the offer of the claim');
  expect(stage.messageOf(offer.trade_offer_id)).toContain(offer.security_code);
  stage.acceptOffer(offer.trade_offer_id, viewer.steamId);
  const history = () => must(app.GET('/api/v1/reward-history'));
  await stage.eventually(async () => (await history()).data.length === 1, 'the reward');
  expect(stage.countItems(viewer.steamId)).toBe(1);
}

type Notification = components['schemas']['Notifications'];

/** All notifications, page by page. */
async function walkNotifications(
  member: Member,
  stage: Stage,
  size: number,
  after?: string,
): Promise<Notification[]> {
  const query = { 'page[size]': size, ...(after !== undefined && { 'page[after]': after }) };
  const { data, links } = await must(member.app.GET('/api/v1/notifications', { params: { query } }));
  expect(data.length).toBeLessThanOrEqual(size);
  if (links.next === null) return data;
  const cursor = new URL(links.next, stage.origin).searchParams.get('page[after]') ?? '';
  return [...data, ...(await walkNotifications(member, stage, size, cursor))];
}

/** Calls that ask for a proof say how to give it, to a token and to a session that was confirmed too long ago. */
async function closeRule({ site, app, email }: Member, params: { path: { id: string } }) {
  const byToken = await refusalOf(app.DELETE('/api/v1/rules/{id}', { params }));
  expect(byToken).toMatchObject({ status: '403', code: 'identityUnconfirmed' });
  expect(byToken.meta?.confirm.path).toBe('/api/v1/login');
  const refused = await refusalOf(site.DELETE('/api/v1/rules/{id}', { params }));
  const confirm = refused.meta?.confirm;
  if (confirm?.path !== '/api/v1/users/confirm') throw new Error('a session is confirmed by another call');
  expect(confirm.fields).toEqual(['password']);
  const wrong = await refusalOf(site.POST(confirm.path, { body: { password: 'another sentence' } }));
  expect(wrong).toMatchObject({ code: 'passwordWrong', source: { pointer: '/password' } });
  expect((await must(site.POST(confirm.path, { body: { password } }))).data.attributes.email).toBe(email);
  const closed = await must(site.DELETE('/api/v1/rules/{id}', { params }));
  expect(closed.data.attributes).toMatchObject({ state: 'closed', pool: { claimed: 1, free: 0 } });
  expect(closed.meta.message).toBe('Rule deleted');
}

/** The whole loop: from signing up to the item on Steam, and out again. */
export async function playLoop(stage: Stage): Promise<void> {
  const streamer = await join(stage, 'streamer', 'streamer');
  const items = await deposit(stage, streamer);
  const rule = await openRule(stage, streamer, items);
  const viewer = await join(stage, 'viewer', 'viewer');
  await earn(stage, streamer, viewer);

  // The streamer sees the claim without its security code.
  const query = { 'filter[kind]': 'claim' as const };
  const [seen] = (await must(streamer.app.GET('/api/v1/transfers', { params: { query } }))).data;
  expect(seen?.attributes).toMatchObject({ own: false, state: 'accepted', security_code: null });
  const [whole, inPages] = [
    await walkNotifications(viewer, stage, 100),
    await walkNotifications(viewer, stage, 2),
  ];
  expect(whole.length).toBeGreaterThan(2);
  expect(inPages).toEqual(whole);
  expect(whole.map(({ attributes }) => attributes.kind)).toContain('reward.changed');

  await closeRule(streamer, rule);
  const unlinked = await must(streamer.site.POST('/api/v1/users/logout_steam'));
  expect(unlinked.data.relationships?.steamAccount?.data).toBe(null);
  await must(streamer.site.POST('/api/v1/logout'));
  expect((await refusalOf(streamer.site.GET('/api/v1/users'))).code).toBe('unauthorized');
}
