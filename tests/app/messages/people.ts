import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Language } from '#app/locales/languages.ts';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { addPerson, addRule, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { member } from '../support/member.ts';
import { type Reader, readerLike, readerOf } from '../support/site.ts';

const caseKey = kindKey({ appId: 730, marketHashName: 'Demo case' });

/** A quantity of these people's one kind, as form fields. */
export const picked = (quantity = 1) => ({
  requestId: newId(Date.now()),
  item: caseKey,
  [`item:${caseKey}`]: String(quantity),
});

/** A rule that its streamer has already reviewed. */
export const ruleForm = () => ({
  requestId: newId(Date.now()),
  name: 'Ten hours together',
  watch: 'on',
  watchAmount: '10',
  watchUnit: 'hours',
  watchScope: 'sinceRule',
  claimTimeoutHours: '72',
  confirmed: '1',
});

/** A user who signed up by e-mail and has connected nothing. */
export const unconnected = async (language: Language): Promise<Reader> =>
  readerLike((await member()).visitor, language);

export const streamerReader = async (language: Language): Promise<Reader> =>
  readerOf((await addStreamer(await database())).userId, language);

/** A user with all Twitch permissions and no Steam account. */
export async function withoutSteam(language: Language): Promise<Reader> {
  const { userId } = await addPerson(await database(), { steam: false, scopes: [...streamerScopes] });
  return readerOf(userId, language);
}

/** A streamer with items on Steam and in custody, without a trade link. */
export async function withoutLink(language: Language): Promise<{ reader: Reader; steamId: string }> {
  const db = await database();
  const streamer = await addStreamer(db);
  await deposit(db, streamer, [asset()], Date.now() - 8 * day);
  await db.transaction(async (tx) => {
    await tx.update(steamAccounts).set({ tradeToken: null }).where(eq(steamAccounts.userId, streamer.userId));
  });
  return { reader: await readerOf(streamer.userId, language), steamId: streamer.steamId };
}

/** A streamer whose Twitch connection no longer works. */
export async function restricted(language: Language): Promise<Reader> {
  const db = await database();
  const { userId } = await addStreamer(db);
  await db.transaction(async (tx) => {
    await tx.update(twitchAccounts).set({ state: 'restricted' }).where(eq(twitchAccounts.userId, userId));
  });
  return readerOf(userId, language);
}

/** A user who granted some of the permissions for streaming. */
export async function halfPermitted(language: Language): Promise<Reader> {
  const { userId } = await addPerson(await database(), { scopes: ['moderator:read:chatters'] });
  return readerOf(userId, language);
}

/** A streamer on their rule's page, with two rewards on it and one free item. */
export async function ruleOwner(language: Language): Promise<{ reader: Reader; rule: string }> {
  const db = await database();
  const streamer = await addStreamer(db);
  const ruleId = await addRule(db, streamer, { rewards: 2, nowMs: Date.now() - hour });
  await deposit(db, streamer, [asset()], Date.now() - 8 * day);
  return { reader: await readerOf(streamer.userId, language), rule: `/rules/${ruleId}` };
}

/** A viewer with a reward that is ready to claim. */
export async function winner(language: Language, facts: { tradeToken?: null; steam?: false } = {}) {
  const db = await database();
  const [streamer, { userId, twitchId }] = [await addStreamer(db), await addPerson(db, facts)];
  await addRule(db, streamer, { rewards: 1, nowMs: Date.now() - hour });
  await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, Date.now());
  const [reward] = (await listMyRewards(db, { userId, states: ['promised'] })).rows;
  expect(reward).toBeDefined();
  return { reader: await readerOf(userId, language), userId, claim: `/rewards/${reward?.id}/claim` };
}
