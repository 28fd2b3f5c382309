import { beforeEach, expect, test } from 'vitest';
import { action as nameAction } from '#app/routes/settings/public-name.ts';
import { loader as pictureLoader } from '#app/routes/share/win-picture.ts';
import { action as seenAction } from '#app/routes/wins/seen.ts';
import { loader } from '#app/routes/wins/win.tsx';
import { database } from '#app/services/database.server.ts';
import { winPicture } from '#app/services/share/win-picture.server.ts';
import type { Database } from '#db/database.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import {
  acceptOffer,
  addBot,
  addPerson,
  addStreamer,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { visitorOf } from './support/signed-in.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb({ STEAM_IMAGE_URL: 'http://127.0.0.1:9/images/' });

let db: Database;
let streamer: Person;
let viewer: Person;
let id: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  const { rewards } = await promiseTo(db, streamer, [viewer]);
  id = rewards[0]!.id;
});

async function deliver() {
  await claimReward(db, { rewardId: id, userId: viewer.userId }, START_MS);
  const sent = (await sendQueued(db, START_MS)).at(-1)!;
  await acceptOffer(db, sent.id, await assetsIn(db, sent.id), START_MS);
}

const open = (visitor: Visitor) => visitor.call(loader, `/wins/${id}`, { params: { id } });
const pictured = () => winPicture(db, id, 'en');

test('A delivered reward has a page and a picture of exactly that item', async () => {
  expect((await open(new Visitor())).status).toBe(404);
  expect(await pictured()).toBeNull();
  await deliver();
  const { win } = (await open(new Visitor())).body;
  expect(win).toMatchObject({ id, status: 'delivered', own: null });
  expect(await pictured()).toMatchObject({
    layout: 'side',
    above: expect.stringMatching(/^on /),
    title: win.item.name,
    lines: [{ text: `Earned by ${win.viewerName}` }],
    items: [{ shape: 'container' }],
    foot: expect.stringMatching(/^Delivered on /),
  });
  const answer = await new Visitor().call(pictureLoader, '/share', { params: { language: 'ru', id } });
  expect(answer.headers.get('Content-Type')).toBe('image/png');
  await setChannelHidden(db, { userId: streamer.userId, hidden: true }, START_MS);
  expect((await open(new Visitor())).status).toBe(404);
  expect(await pictured()).toBeNull();
});

test('Its viewer hides their name from the page and the picture', async () => {
  await deliver();
  expect((await open(new Visitor())).body.win.viewerName).not.toBeNull();
  const own = await visitorOf(viewer.userId);
  const hidden = await own.call(nameAction, '/settings/public-name', { form: { win: id, hides_name: 'on' } });
  expect(hidden.location).toBe(`/wins/${id}`);
  expect((await open(new Visitor())).body.win.viewerName).toBeNull();
  expect((await pictured())?.lines).toMatchObject([{ text: 'Earned by a viewer' }]);
  const elsewhere = await own.call(nameAction, '/settings/public-name', { form: { win: '/evil.example' } });
  expect(elsewhere.location).toBe('/settings');
  expect((await open(new Visitor())).body.win.viewerName).not.toBeNull();
});

test('The card is for the first visit of its viewer', async () => {
  await deliver();
  const ask = async (visitor: Visitor) =>
    visitor.call(seenAction, `/wins/${id}/seen`, { params: { id }, form: {} });
  expect((await ask(new Visitor())).location).toBe('/auth/signup');
  const own = await visitorOf(viewer.userId);
  expect((await open(own)).body.win.own.isSeen).toBe(false);
  expect(JSON.parse((await ask(own)).text)).toEqual({ first: true });
  expect(JSON.parse((await ask(own)).text)).toEqual({ first: false });
  expect((await open(own)).body.win.own.isSeen).toBe(true);
});
