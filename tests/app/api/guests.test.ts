import './support/web.ts';
import { expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { loginOf } from '#tests/support/guests.ts';
import { type Signed, streamer, viewer } from './support/people.ts';

const api = '/api/v1';
const admit = async (host: Signed, guest: Signed) =>
  host.app.post(`${api}/channel-guests`, { json: { login: await loginOf(host.db, guest) } });
const rule = (host: Signed, more: object = {}) => ({
  name: 'Demo',
  follow_days: 1,
  channel_id: host.twitchId,
  ...more,
});

test('A broadcaster admits a guest, whose rule runs on the channel until the guest is removed', async () => {
  const [host, guest] = [await streamer(), await streamer()];
  expect((await guest.app.get(`${api}/host-channels`)).body.data).toEqual([]);
  const { status, body } = await admit(host, guest);
  expect([status, body.data.id, body.data.attributes.rules]).toEqual([201, guest.userId, 0]);
  const open = await guest.app.get(`${api}/host-channels`);
  expect(open.body.data.map(({ id }: { id: string }) => id)).toEqual([host.twitchId]);
  const made = await guest.app.post(`${api}/rules`, { json: rule(host) });
  expect(made.body.data.attributes).toMatchObject({ channel_id: host.twitchId, state: 'open' });
  expect((await guest.app.post(`${api}/rules`, { json: rule(host, { points_cost: 5 }) })).codes).toEqual([
    'pointsElsewhere',
  ]);
  const listed = await host.app.get(`${api}/channel-guests`);
  expect(listed.body.data[0].attributes).toMatchObject({ rules: 1 });

  const path = `${api}/channel-guests/${guest.userId}`;
  expect((await guest.app.delete(path)).codes).toEqual(['notFound']);
  expect((await host.app.delete(path)).status).toBe(200);
  expect((await host.app.delete(path)).codes).toEqual(['notFound']);
  const paused = await guest.app.get(`${api}/rules/${made.body.data.id}`);
  expect(paused.body.data.attributes).toMatchObject({ state: 'paused', pause_reason: 'optInRevoked' });
  expect((await guest.app.post(`${api}/rules`, { json: rule(host) })).codes).toEqual(['notAdmitted']);
});

test.each([
  ['no login', {}, 422, 'required'],
  ['an address', { login: 'https://twitch.tv/x' }, 422, 'login'],
  ['a number', { login: 7 }, 422, 'invalid'],
  ['a stranger', { login: 'nobody_by_this_name' }, 404, 'strangerLogin'],
  ['somebody’s channel too', { login: 'x', channel_id: '1' }, 422, 'unknownField'],
])('Admitting with %s is refused', async (_, json, status, code) => {
  const host = await streamer();
  expect(await host.app.post(`${api}/channel-guests`, { json })).toMatchObject({ status, codes: [code] });
});

test('A dry run works for an unsaved rule, but not on a channel that does not admit the caller', async () => {
  const [host, guest] = [await streamer(), await viewer()];
  const json = { name: 'Demo', follow_days: 1 };
  const { status, body } = await host.app.post(`${api}/rules/dry-run`, { json });
  expect(status).toBe(200);
  expect(body.data.attributes).toMatchObject({ unread: ['followers'], nothing_known: true, at_once: null });
  expect((await host.app.get(`${api}/rules`)).body.data).toEqual([]);
  for (const channel_id of [host.twitchId, '1'])
    expect((await guest.app.post(`${api}/rules/dry-run`, { json: { ...json, channel_id } })).codes).toEqual([
      'notAdmitted',
    ]);
  expect((await host.app.get(`${api}/rules/${newId(Date.now())}`)).codes).toEqual(['notFound']);
});
