import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rules } from '#db/schema/rule.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { minute } from '#domain/kernel/time.ts';
import { ANNOUNCE_AGAIN_AFTER_MS, announceRule } from '#domain/rule/announce-rule.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const line = 'Watch 1 h: a case. https://keepsake.example/channels/demo/1';
const announce = (ruleId: string, nowMs = START_MS, userId = streamer.userId) =>
  announceRule(db, { ruleId, userId, line }, nowMs);
const taken = async (nowMs = START_MS) => {
  const channelLogins = [`demo_channel_${streamer.twitchId}`];
  return (await takeAnnouncements(db, { channelLogins, limit: 9 }, nowMs)).map((each) => each.line);
};

test('An open rule is announced once in ten minutes, whatever it announces else', async () => {
  const settings = { chatLocale: null, announcesPromises: false };
  await setChatSettings(db, { userId: streamer.userId, settings }, START_MS);
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  const twice = await Promise.all([announce(ruleId), announce(ruleId, START_MS + 1)]);
  expect(twice.map((each) => each.ok)).toEqual([true, true]);
  expect(await taken()).toEqual([line]);
  expect(await announce(ruleId, START_MS + minute)).toMatchObject({ ok: true });
  expect(await taken(START_MS + minute)).toEqual([]);
  const again = START_MS + 1 + ANNOUNCE_AGAIN_AFTER_MS;
  expect(await announce(ruleId, again)).toEqual({ ok: true, announcedAtMs: again });
  expect(await taken(again)).toEqual([line]);
});

test('Only the owner has it announced, in their own chat, while the rule is open', async () => {
  const another = await addPerson(db);
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  expect(await announce(ruleId, START_MS, another.userId)).toEqual({ ok: false, code: 'notFound' });
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ ownerId: another.userId }).where(eq(rules.id, ruleId));
  });
  expect(await announce(ruleId, START_MS, another.userId)).toEqual({ ok: false, code: 'notYourChat' });
  const paused = await addRule(db, streamer, { rewards: 1 });
  await db.transaction(async (tx) => {
    const state = { state: 'paused', pauseReason: 'operator' } as const;
    await tx.update(rules).set(state).where(eq(rules.id, paused));
  });
  expect(await announce(paused)).toEqual({ ok: false, code: 'notOpen' });
  const frozen = await addRule(db, streamer, { rewards: 1 });
  expect(await announce(frozen)).toEqual({ ok: true, announcedAtMs: START_MS });
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ frozenAtMs: START_MS }).where(eq(rules.id, frozen));
  });
  expect(await announce(frozen)).toEqual({ ok: false, code: 'notOpen' });
  expect(await taken()).toEqual([line]);
});
