import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type BroadcasterType, channels } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { listPlainChannels } from '#domain/channel/list-plain-channels.ts';
import { recordBroadcasterTypes } from '#domain/rule/record-broadcaster-types.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const read = (broadcasterType: BroadcasterType, twitchId = streamer.twitchId) =>
  recordBroadcasterTypes(db, [{ twitchId, broadcasterType }], START_MS);
const letters = () => db.read.select().from(mails).where(eq(mails.template, 'noSubscribers'));
const shown = async () => {
  const [channel] = await db.read.select().from(channels).where(eq(channels.id, streamer.twitchId));
  return [channel?.broadcasterType, channel?.subscribersFault];
};
const asksForSubscribers = { rewards: 0, watchMinutes: null, subscriberTier: 1 } as const;

test('A plain channel is known as such, and has a fault only once a rule asks for subscribers', async () => {
  expect(await shown()).toEqual([null, null]);
  await read('plain');
  expect(await shown()).toEqual(['plain', null]);
  expect(await letters()).toEqual([]);
  await addRule(db, streamer, asksForSubscribers);
  await read('plain');
  await read('plain');
  expect(await shown()).toEqual(['plain', 'notAffiliate']);
  expect(await letters()).toHaveLength(1);
});

test('A channel that becomes an affiliate has no fault any more', async () => {
  await addRule(db, streamer, asksForSubscribers);
  await read('plain');
  await read('affiliate');
  expect(await shown()).toEqual(['affiliate', null]);
  await read('partner');
  expect(await shown()).toEqual(['partner', null]);
});

test('Of several channels, the plain ones are found', async () => {
  const [plain, partner] = [await addStreamer(db), await addStreamer(db)];
  await read('plain', plain.twitchId);
  await read('partner', partner.twitchId);
  const ids = [streamer.twitchId, plain.twitchId, partner.twitchId];
  expect(await listPlainChannels(db, ids)).toEqual([plain.twitchId]);
  expect(await listPlainChannels(db, [])).toEqual([]);
});
