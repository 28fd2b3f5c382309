import { expect, test } from 'vitest';
import { day, hour } from '#domain/time.ts';
import { rifle, until } from '#tests/support/steam-stage.ts';
import { linkAccounts, mailedToken, setWorld } from './support/world.ts';

const api = '/api/v1';
const password = 'a short sentence';

test('A companion app can do everything through the API alone, from signing up to receiving the item', async () => {
  const stage = await setWorld();
  // Imported once the world is running: some modules read the configuration when they are loaded.
  const { App } = await import('./support/app.ts');

  /** Signs up, verifies the address, links Twitch and Steam in a browser, and sets the trade link. */
  async function join(name: string, permissions: 'viewer' | 'streamer') {
    const browser = new App();
    const email = `${name}@example.org`;
    const json = { name, email, password, password_confirmation: password, terms: true };
    const { body } = await browser.post(`${api}/register`, { json });
    const userId: string = body.data.id;
    const token = await mailedToken(stage, email);
    await browser.post(`${api}/email/verifications`, { json: { token } });
    const { code, ...linked } = await linkAccounts(stage, browser, permissions);
    // The code shown on a page is entered in the app; from here on the app uses its token.
    const issued = await new App().post(`${api}/extension/token`, { json: { code, device: 'Demo phone' } });
    const app = new App();
    app.token = issued.body.data.attributes.token;
    const set = await app.post(`${api}/users/update_steam_trade_link`, {
      json: { trade_link: linked.tradeLink },
    });
    expect([set.status, set.body.meta.hold_days]).toEqual([200, 0]);
    return { app, userId, ...linked };
  }
  /** Polls as often as one app may call, so that a slow machine does not hit the limit. */
  const eventually = <T>(ask: () => Promise<T>, what: string) =>
    until(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return ask();
    }, what);
  const read = async (app: InstanceType<typeof App>, path: string) =>
    (await app.get(`${api}${path}`)).body.data;

  const streamer = await join('streamer', 'streamer');
  stage.world.give(streamer.steamId, rifle);

  // Deposit.
  const [found] = await read(streamer.app, '/inventory?filter[app_id]=730');
  expect(found.attributes).toMatchObject({ pieces: 1, available: 1 });
  const items = [{ kind_id: found.attributes.kind_id, quantity: 1 }];
  const asked = await streamer.app.post(`${api}/items/deposit`, { json: { items } });
  expect(asked.status).toBe(202);
  const [{ id: depositId }] = asked.body.data;
  const stateOf = async (app: InstanceType<typeof App>, id: string) =>
    (await read(app, `/transfers/${id}`)).attributes;
  const sent = await eventually(async () => {
    const transfer = await stateOf(streamer.app, depositId);
    return transfer.state === 'sent' ? transfer : null;
  }, 'the offer of the deposit');
  expect(stage.world.accept(sent.trade_offer_id, streamer.steamId).ok).toBe(true);
  await eventually(async () => (await stateOf(streamer.app, depositId)).state === 'accepted', 'the deposit');
  const [locked] = await read(streamer.app, '/items');
  expect(locked.attributes).toMatchObject({ total: 1, available: 0, unavailable: 1, in_cooldown: 1 });

  // A rule, and its reward once the cooldown is over.
  const draft = { name: 'For who stays', follow_days: 3 };
  const { body: created } = await streamer.app.post(`${api}/rules`, { json: draft });
  expect(created.meta.message).toBe('Rule successfully created');
  const pool = `${api}/rules/${created.data.id}/rewards`;
  expect((await streamer.app.post(pool, { json: { items } })).codes).toEqual(['notEnough']);
  stage.passDays(8);
  await eventually(
    async () => (await read(streamer.app, '/items'))[0].attributes.available === 1,
    'the cooldown',
  );
  const added = await streamer.app.post(pool, { json: { items } });
  expect(added.body.meta.message).toBe('Rewards added to rule');
  expect(added.body.data.attributes.pool.free).toBe(1);

  // A viewer who has followed long enough is promised the reward and claims it.
  const viewer = await join('viewer', 'viewer');
  const [browsed] = await read(viewer.app, '/channels');
  expect([browsed.id, browsed.attributes.free_rewards]).toEqual([streamer.twitchId, 1]);
  stage.twitch.follow(streamer.twitchId, viewer.twitchId, stage.clock.now() - 2 * day - hour);
  const progress = await eventually(async () => {
    const [rule] = await read(viewer.app, '/reward-progress?include=channel');
    return rule.attributes.follow.have_days === 2 ? rule : null;
  }, 'the follow');
  expect(progress.attributes.follow).toMatchObject({ need_days: 3, met: false });
  stage.passDays(2);
  const promised = await eventually(
    async () => (await read(viewer.app, '/rewards?filter[state]=promised'))[0],
    'the promise',
  );
  const claimed = await viewer.app.post(`${api}/claims`, { json: { reward_id: promised.id } });
  expect([claimed.status, claimed.body.data.attributes.state]).toEqual([202, 'reserved']);
  const offer = await eventually(async () => {
    const { offer } = (await read(viewer.app, `/rewards/${promised.id}`)).attributes;
    return offer?.state === 'sent' ? offer : null;
  }, 'the offer of the claim');
  expect(stage.world.offer(offer.trade_offer_id)?.message).toContain(offer.security_code);
  expect(stage.world.accept(offer.trade_offer_id, viewer.steamId).ok).toBe(true);
  await eventually(async () => (await read(viewer.app, '/reward-history')).length === 1, 'the reward');
  expect(stage.world.inventoryOf(viewer.steamId)).toHaveLength(1);

  // What the streamer sees: the claim without its security code, and an empty rule that closes.
  // It is the last one, so a token is not enough.
  const [seen] = await read(streamer.app, '/transfers?filter[kind]=claim');
  expect(seen.attributes).toMatchObject({ own: false, state: 'accepted', security_code: null });
  const rule = `${api}/rules/${created.data.id}`;
  expect((await streamer.app.delete(rule)).codes).toEqual(['identityUnconfirmed']);
  const signedIn = new App();
  await signedIn.post(`${api}/login`, { json: { email: 'streamer@example.org', password } });
  const closed = await signedIn.delete(rule);
  expect(closed.body.data.attributes).toMatchObject({ state: 'closed', pool: { claimed: 1, free: 0 } });
  expect(closed.body.meta.message).toBe('Rule deleted');
  const notifications = await read(viewer.app, '/notifications?page[size]=100');
  expect(notifications.map((each: { attributes: { kind: string } }) => each.attributes.kind)).toContain(
    'reward.changed',
  );
});
