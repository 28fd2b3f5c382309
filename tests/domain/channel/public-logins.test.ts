import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { listHidden } from '#domain/channel/list-hidden.ts';
import { listLoginParts, listPublicLogins, SITEMAP_SIZE } from '#domain/channel/list-public-logins.ts';
import { newId } from '#domain/kernel/id.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('The sitemap has each login with a public page once, and neither hidden channels nor those without a rule', async () => {
  const [renamed, hidden] = [await addStreamer(db), await addStreamer(db)];
  await addStreamer(db);
  for (const each of [streamer, renamed, hidden]) await addRule(db, each, { rewards: 0 });
  await setChannelHidden(db, { userId: hidden.userId, hidden: true }, START_MS);
  const loginOf = (id: string) => `demo_channel_${id}`;
  const both = [loginOf(streamer.twitchId), loginOf(renamed.twitchId)];
  expect(await listPublicLogins(db, '')).toEqual(both);
  expect(await listPublicLogins(db, streamer.twitchId)).toEqual(both.slice(1));
  await db.transaction(async (tx) => {
    await tx.update(channels).set({ login: both[0]! }).where(eq(channels.id, renamed.twitchId));
  });
  expect(await listPublicLogins(db, '')).toEqual(both.slice(0, 1));
  const ids = [streamer.twitchId, hidden.twitchId];
  expect(await listHidden(db, ids)).toEqual(new Set([hidden.twitchId]));
  expect(await listHidden(db, [])).toEqual(new Set());
});

test('The sitemap begins a new part after a thousand channels', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const [pattern] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  const ids = Array.from({ length: SITEMAP_SIZE - 1 }, (_, nth) => `9${String(nth).padStart(5, '0')}`);
  const add = (added: readonly string[]) =>
    db.transaction(async (tx) => {
      await tx
        .insert(channels)
        .values(added.map((id) => ({ id, login: `c${id}`, displayName: id, lastSeenAtMs: START_MS })));
      await tx
        .insert(rules)
        .values(added.map((channelId) => ({ ...pattern!, id: newId(START_MS), channelId })));
    });
  await add(ids.slice(1));
  expect(await listLoginParts(db)).toEqual(['']);
  await add(ids.slice(0, 1));
  const last = [...ids, streamer.twitchId].sort().at(-1)!;
  expect(await listLoginParts(db)).toEqual(['', last]);
  expect(await listPublicLogins(db, '')).toHaveLength(SITEMAP_SIZE);
  expect(await listPublicLogins(db, last)).toEqual([]);
});
