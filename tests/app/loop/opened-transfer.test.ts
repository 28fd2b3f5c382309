import { expect, test } from 'vitest';
import { loader } from '#app/routes/transfers/transfers.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { addBot, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { visitorOf } from '../support/signed-in.ts';
import { setWeb } from '../support/web.ts';

await setWeb();
const db = await database();

test('An opened transfer lists all of its items, so that they can be compared with those in the offer', async () => {
  await addBot(db);
  const streamer = await addStreamer(db);
  const assets = [
    asset('Demo knife', { traits: 'Wear Rating: 0.061' }),
    asset('Demo case'),
    asset('Demo case'),
    asset('Demo knife'),
  ];
  const id = await deposit(db, streamer, assets, await domainNow());
  const { body } = await (await visitorOf(streamer.userId)).call(loader, `/transfers?open=${id}`);
  const { page } = body as Awaited<ReturnType<typeof loader>>['data'];
  expect(
    page?.opened?.items.map(({ marketHashName, traits, quantity }) => [marketHashName, traits, quantity]),
  ).toEqual([
    ['Demo case', '', 2],
    ['Demo knife', '', 1],
    ['Demo knife', 'Wear Rating: 0.061', 1],
  ]);
});
