import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { vault } from '#app/services/vault.server.ts';
import type { Asset } from '#db/schema/asset.ts';
import { channelGuests } from '#db/schema/channel.ts';
import type { RuleType } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import { setTradeLink } from '#domain/account/steam/set-trade-link.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { formatTradeLink } from '#domain/identity/steam/trade-link.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { listMyRewards } from '#domain/view/list-my-rewards.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { streamerGrant } from '#tests/domain/account/people.ts';
import {
  addBot,
  addRule,
  asset,
  deposit,
  nextNumber,
  type Person,
  sendQueued,
  steamIdOf,
} from '#tests/support/fixtures.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { turnOnFor } from '#tests/support/push-subscription.ts';
import { watchFor } from '#tests/support/watching.ts';
import { member, signUpForm } from '../support/member.ts';
import { type Owner, passkeyOf } from '../support/owner.ts';
import { buy } from '../support/selling.ts';
import type { Visitor } from '../support/visitor.ts';

/** A hostile name for somebody's fields, short enough for each of them; its last letter is written from right to left. */
export const hostile = (whose: string): string => `<img src=x onerror=${whose}()>"'{{t}}$t(t)ש`;

/** An item with hostile text in every field. */
export const hostileAsset = (): Asset =>
  asset(hostile('market'), {
    name: hostile('item'),
    typeLine: hostile('typeLine'),
    typeTag: hostile('typeTag'),
    rarityTag: hostile('rarityTag'),
    exterior: hostile('exterior'),
    iconUrl: hostile('icon'),
  });

type Named = Person & { visitor: Visitor };

/** A user with hostile names here, on Twitch and on Steam. */
async function addHostile(who: string): Promise<Named> {
  const { visitor, email } = await member({ ...signUpForm(), name: hostile(`${who}Name`) });
  const [db, nowMs] = [await database(), Date.now() - 30 * day];
  const [user] = await db.read.select().from(users).where(eq(users.email, email));
  const userId = user?.id ?? '';
  expect(user?.name).toBe(hostile(`${who}Name`));
  const [twitchId, steamId] = [String(70_000 + nextNumber()), steamIdOf(nextNumber())];
  const person = {
    twitchId,
    login: hostile(`${who}Login`),
    displayName: hostile(`${who}Twitch`),
    pictureUrl: `https://static-cdn.jtvnw.net/${hostile(`${who}Picture`)}`,
    email,
  };
  await linkTwitch(db, { vault: vault(), userId, person, grant: streamerGrant }, nowMs);
  await linkSteam(db, { userId, steamId, personaName: hostile(`${who}Steam`) }, nowMs);
  await setTradeLink(db, { userId, tradeLink: formatTradeLink({ steamId, token: 'abcdefgh' }) }, nowMs);
  const stream = {
    streamId: `s${twitchId}`,
    startedAtMs: nowMs,
    title: hostile(`${who}Title`),
    gameName: hostile(`${who}Game`),
  };
  await recordStream(db, { channelId: twitchId, stream }, nowMs);
  await buy({ userId }, { product: 'streamer', tier: 'pro', period: 'month' });
  return { userId, twitchId, steamId, visitor };
}

/** A rule of this streamer, with a free reward. */
async function addHostileRule(owner: Person, nowMs: number, draft: Partial<RuleDraft>): Promise<string> {
  const db = await database();
  const ruleId = await addRule(db, owner, { rewards: 0, nowMs, ...draft });
  await deposit(db, owner, [hostileAsset()], nowMs - 8 * day);
  const kinds = [{ appId: 730, marketHashName: hostile('market'), quantity: 1 }];
  const attached = await attachRewards(db, { ruleId, userId: owner.userId, kinds }, nowMs);
  expect(attached).toMatchObject({ ok: true });
  return ruleId;
}

/** The person watches the streamer's channel long enough to meet all rules so far. */
async function watchOut(viewer: Person, streamer: Person, nowMs: number): Promise<void> {
  const db = await database();
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 2 * 3600]]);
  await evaluateChannel(db, streamer.twitchId, nowMs);
}

async function promisedTo(viewer: Person): Promise<string[]> {
  const { rows } = await listMyRewards(await database(), { userId: viewer.userId, states: ['promised'] });
  return rows.map(({ id }) => id);
}

async function claim(viewer: Person, rewardId: string): Promise<void> {
  const claimed = await claimReward(await database(), { rewardId, userId: viewer.userId }, Date.now());
  expect(claimed).toMatchObject({ ok: true });
  await sendQueued(await database(), Date.now());
}

/** The viewer's rewards from the streamer: timed out, on its way, ready to claim, and still to earn. */
async function earn(viewer: Person, streamer: Person): Promise<string> {
  const [db, nowMs] = [await database(), Date.now()];
  const rule = (age: number, name: string, watchMinutes: number, type: RuleType = 'one') =>
    addHostileRule(streamer, nowMs - age, { name: hostile(name), watchMinutes, type });
  await rule(5 * day, 'pastRule', 60);
  await watchOut(viewer, streamer, nowMs - 5 * day);
  expect(await expirePromises(db, nowMs, nowMs)).toBe(1);
  await rule(2 * hour, 'sentRule', 60);
  await watchOut(viewer, streamer, nowMs - hour);
  const [sent = ''] = await promisedTo(viewer);
  await claim(viewer, sent);
  await rule(hour, 'readyRule', 60);
  await rule(hour, 'earnedRule', 600, 'random');
  await watchOut(viewer, streamer, nowMs);
  const [ready = ''] = await promisedTo(viewer);
  return ready;
}

export interface HostileWorld {
  userId: string;
  visitor: Visitor;
  /** The ids in URLs; the rule is one with draws. */
  ids: Owner['ids'];
}

/** A person with a plan who gives and receives rewards, in a world where everybody and everything has a hostile name. */
export async function hostileWorld(): Promise<HostileWorld> {
  const db = await database();
  await addBot(db);
  const [mine, other, third] = [await addHostile('my'), await addHostile('other'), await addHostile('third')];
  const rewards = await earn(mine, other);
  const nowMs = Date.now();
  const rules = await addHostileRule(mine, nowMs - 2 * hour, {
    name: hostile('myRule'),
    type: 'random',
    watchMinutes: 60,
  });
  await watchOut(other, mine, nowMs);
  const [given = ''] = await promisedTo(other);
  await claim(other, given);
  const kinds = [{ appId: 730, marketHashName: hostile('market'), quantity: 1 }];
  await deposit(db, mine, [hostileAsset(), hostileAsset()], nowMs - 8 * day);
  expect(await attachRewards(db, { ruleId: rules, userId: mine.userId, kinds }, nowMs)).toMatchObject({
    ok: true,
  });
  await watchFor(db, mine.twitchId, [[third.twitchId, 600]]);
  const request = { requestId: newId(nowMs), userId: mine.userId, assets: [hostileAsset()] };
  expect(await requestDeposit(db, request, nowMs, nowMs)).toMatchObject({ ok: true });
  // Both may run rules on the other's channel. No form accepts such a login, so they are admitted directly.
  await db.transaction(async (tx) => {
    for (const [host, { userId }] of [[mine, other] as const, [other, mine] as const])
      await tx.insert(channelGuests).values({ channelId: host.twitchId, userId, admittedAtMs: nowMs });
  });
  await turnOnFor(db, { userId: mine.userId, userAgent: hostile('device') }, nowMs);
  const token = await issueApiToken(db, { userId: mine.userId, name: hostile('token') }, nowMs);
  await openSession(db, { userId: mine.userId, userAgent: hostile('browser') }, nowMs);
  const known = { userId: mine.userId, currentToken: mine.visitor.sessionToken() };
  const sessions = (await listSessions(db, known, nowMs)).filter(({ current }) => !current);
  const [own] = await db.read.select().from(transfers).where(eq(transfers.id, request.requestId));
  return {
    userId: mine.userId,
    visitor: mine.visitor,
    ids: {
      sessions: sessions[0]?.id ?? '',
      tokens: token.ok ? token.tokenId : '',
      transfers: own?.id ?? '',
      rules,
      rewards,
      'given-rewards': given,
      guests: other.userId,
      passkeys: await passkeyOf(mine, new PasskeyDevice(), hostile('passkey')),
      // No page names a raffle by its id but the public one, which has a test of its own.
      raffles: newId(nowMs),
    },
  };
}
