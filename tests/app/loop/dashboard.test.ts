import { expect, test } from 'vitest';
import { loader } from '#app/routes/dashboard/dashboard.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { minute } from '#domain/time.ts';
import { addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { visitorOf } from '../support/signed-in.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

test('A streamer sees the watch time of the own channel, and a viewer does not', async () => {
  const db = await database();
  const streamer = await addStreamer(db);
  const visitor = await visitorOf(streamer.userId);
  const seen = async (who = visitor) => (await who.call(loader, '/dashboard')).body.watched;
  expect(await seen()).toMatchObject({ seconds: 0, viewers: 0, days: [] });
  const nowMs = (await domainNow()) - 2 * minute;
  await goLive(db, streamer.twitchId, nowMs);
  await readChatters(db, streamer.twitchId, ['1', '2'], nowMs + minute);
  const history = await seen();
  expect(history).toMatchObject({ seconds: 120, viewers: 2 });
  expect(await seen(await visitorOf((await addPerson(db)).userId))).toMatchObject({ viewers: 0 });
});
