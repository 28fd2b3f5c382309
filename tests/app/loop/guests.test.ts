import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { action as dismissAction, loader as dismissLoader } from '#app/routes/guests/dismiss-guest.tsx';
import { action as admitAction, loader as guestsLoader } from '#app/routes/guests/guests.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { newId } from '#domain/kernel/id.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { addRule, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { loginOf } from '#tests/support/guests.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let host: Person;
let guest: Person;
let visitor: Visitor;
let login: string;

beforeEach(async () => {
  db = await database();
  [host, guest] = [await addStreamer(db), await addStreamer(db)];
  visitor = await visitorOf(host.userId);
  login = await loginOf(db, guest);
});

const admit = (name: string, who = visitor) =>
  who.call(admitAction, '/channel/guests', { form: { login: name } });
const dismiss = (id: string, who = visitor) =>
  who.call(dismissAction, `/channel/guests/${id}/dismiss`, { params: { id }, form: {} });
const listed = async () => (await visitor.call(guestsLoader, '/channel/guests')).body.guests;

test('A broadcaster admits a streamer by login, sees them listed, and removes them', async () => {
  expect(await admit(` @${login} `)).toMatchObject({
    location: '/channel/guests',
    toast: 'guests.admitted',
  });
  const ruleId = await addRule(db, guest, { channelId: host.twitchId, rewards: 0 });
  expect(await listed()).toMatchObject([{ userId: guest.userId, rules: 1 }]);
  const page = await visitor.call(dismissLoader, '/x', { params: { id: guest.userId } });
  expect(page.body.guest).toMatchObject({ rules: 1 });
  expect(await dismiss(guest.userId)).toMatchObject({ toast: 'guests.dismissed' });
  expect(await listed()).toEqual([]);
  expect(await getRule(db, { ruleId, ownerId: guest.userId })).toMatchObject({
    state: 'paused',
    pauseReason: 'optInRevoked',
  });
  expect((await dismiss(guest.userId)).status).toBe(404);
});

test('A guest who disconnected Twitch is not named by their account, and can be removed', async () => {
  await admit(login);
  expect((await listed())?.[0]?.name).toBeTruthy();
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.userId, guest.userId));
  });
  expect(await listed()).toMatchObject([{ userId: guest.userId, name: null }]);
  expect(await dismiss(guest.userId)).toMatchObject({ toast: 'guests.dismissedUnlinked' });
  expect(await listed()).toEqual([]);
});

test.each([
  ['nothing', '', 400, 'errors.field.required'],
  ['an address', 'https://twitch.tv/nordwind', 400, 'errors.guest.login'],
  ['a login that is too long', 'n'.repeat(26), 400, 'errors.guest.login'],
  ['other letters', 'стример', 400, 'errors.guest.login'],
  ['a stranger', 'nobody_by_this_name', 404, 'errors.guest.stranger'],
])('Admitting %s is refused next to the field', async (_, name, status, error) => {
  expect(await admit(name)).toMatchObject({ status, body: { result: { error: { login: [error] } } } });
});

test('Nobody can add or remove guests on another’s channel', async () => {
  await admit(login);
  const other = await visitorOf((await addStreamer(db)).userId);
  for (const id of [guest.userId, host.userId, newId(Date.now())]) {
    expect((await other.call(dismissLoader, '/x', { params: { id } })).status).toBe(404);
    expect((await dismiss(id, other)).status).toBe(404);
  }
  const form = { login, channelId: host.twitchId, userId: host.userId };
  await other.call(admitAction, '/channel/guests', { form });
  expect(await listed()).toHaveLength(1);
});
