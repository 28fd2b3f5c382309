import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { pausePointsRules } from '#domain/account/twitch/pause-points-rules.ts';
import { channelScopes, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { usesPoints } from '#domain/rule/channel-use.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, draft, START_MS } from '#tests/support/fixtures.ts';
import { resumeRules } from '#tests/support/resuming.ts';

test('Only a rule for channel points needs the permission for them', async () => {
  await using db = await openTestDatabase();
  const { userId, twitchId } = await addStreamer(db);
  const allow = (scopes: readonly string[]) =>
    db.transaction((tx) =>
      tx
        .update(twitchAccounts)
        .set({ scopes: [...scopes] })
        .where(eq(twitchAccounts.twitchId, twitchId)),
    );
  const create = (pointsCost: number | null) =>
    createRule(
      db,
      { requestId: newId(START_MS), userId, draft: draft({ watchMinutes: 10, pointsCost }) },
      START_MS,
    );
  await allow(channelScopes);
  expect(await create(null)).toMatchObject({ ok: true });
  expect(await create(100)).toEqual({ ok: false, code: 'pointsPermissionMissing' });
  await allow(streamerScopes);
  expect(await create(100)).toMatchObject({ ok: true });
});

test('A rule for channel points stays paused until the permission is back; others do not wait for it', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  const { twitchId } = streamer;
  const plain = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
  const paid = await addRule(db, streamer, { watchMinutes: 10, pointsCost: 100, rewards: 0 });
  const set = (scopes: readonly string[]) =>
    db.transaction(async (tx) => {
      await tx
        .update(twitchAccounts)
        .set({ scopes: [...scopes] })
        .where(eq(twitchAccounts.twitchId, twitchId));
      await tx.update(rules).set({ state: 'paused', pauseReason: 'lostPermission' });
    });
  const states = async () => {
    const rows = await db.read.select({ id: rules.id, state: rules.state }).from(rules);
    return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
  };
  const resume = () => resumeRules(db, { channelId: twitchId, reason: 'lostPermission' }, START_MS);
  await set(channelScopes);
  await resume();
  expect(await states()).toEqual({ [plain]: 'open', [paid]: 'paused' });
  await set(streamerScopes);
  await resume();
  expect(await states()).toEqual({ [plain]: 'open', [paid]: 'open' });
});

test('A channel that no longer allows channel points pauses the rules that ask for them, and asks for them again', async () => {
  await using db = await openTestDatabase();
  const streamer = await addStreamer(db);
  const { twitchId } = streamer;
  const plain = await addRule(db, streamer, { watchMinutes: 10, rewards: 0 });
  expect(await usesPoints(db.read, twitchId)).toBe(false);
  const paid = await addRule(db, streamer, { watchMinutes: 10, pointsCost: 100, rewards: 0 });
  const pause = () => pausePointsRules(db, { twitchId }, START_MS);
  const states = async () => {
    const rows = await db.read.select().from(rules);
    return Object.fromEntries(rows.map(({ id, state, pauseReason }) => [id, pauseReason ?? state]));
  };
  // Somebody allowed them meanwhile.
  expect(await pause()).toBe(false);
  expect(await states()).toEqual({ [plain]: 'open', [paid]: 'open' });
  await db.transaction((tx) =>
    tx
      .update(twitchAccounts)
      .set({ scopes: [...channelScopes] })
      .where(eq(twitchAccounts.twitchId, twitchId)),
  );
  expect([await pause(), await pause()]).toEqual([true, false]);
  expect(await states()).toEqual({ [plain]: 'open', [paid]: 'lostPermission' });
  expect(await usesPoints(db.read, twitchId)).toBe(true);
});
