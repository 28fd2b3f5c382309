import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { markTwitchRestricted } from '#domain/account/twitch/mark-twitch-restricted.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';
import { admitGuest } from '#domain/audience/admit-guest.ts';
import { dismissGuest } from '#domain/audience/dismiss-guest.ts';
import { listChannelsOpenTo } from '#domain/channel/list-channels-open-to.ts';
import { listGuests } from '#domain/channel/list-guests.ts';
import { newId } from '#domain/kernel/id.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pauseRulesOf, resumeRulesOf } from '#domain/rule/pause-rules.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  draft,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { admit as admitTo, loginOf } from '#tests/support/guests.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { watchFor } from '#tests/support/watching.ts';
import { vault, viewerGrant } from '../account/people.ts';

let db: TestDatabase;
let host: Person;
let guest: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  await addBot(db);
  host = await addStreamer(db);
  guest = await addStreamer(db);
});
afterEach(() => db.close());

const admit = (who = guest) => admitTo(db, host, who);
const dismiss = () => dismissGuest(db, { userId: host.userId, guestId: guest.userId }, START_MS);
const createThere = (facts: Parameters<typeof draft>[0] = {}, owner = guest) =>
  createRule(
    db,
    { requestId: newId(START_MS), userId: owner.userId, channelId: host.twitchId, draft: draft(facts) },
    START_MS,
  );
const ruleThere = async () => {
  const created = await createThere();
  if (!created.ok) throw new Error(created.code);
  return created.ruleId;
};
const standing = async (ruleId: string) => {
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  return [rule?.state, rule?.pauseReason];
};
const restrict = (person: Person) =>
  markTwitchRestricted(db, { twitchId: person.twitchId, obtainedAtMs: START_MS }, START_MS);
const reconnect = (person: Person) =>
  db.transaction(async (tx) => {
    await tx
      .update(twitchAccounts)
      .set({ state: 'connected' })
      .where(eq(twitchAccounts.twitchId, person.twitchId));
    await resumeRulesOf(tx, { channelId: person.twitchId, reason: 'lostPermission' }, START_MS);
  });

describe('A rule on another channel', () => {
  test('is refused until its broadcaster admits the streamer, and again after removing them', async () => {
    expect(await createThere()).toEqual({ ok: false, code: 'notAdmitted' });
    expect(await admit()).toMatchObject({ ok: true, guestId: guest.userId });
    expect(await createThere()).toMatchObject({ ok: true });
    expect(await dismiss()).toEqual({ ok: true });
    expect(await createThere()).toEqual({ ok: false, code: 'notAdmitted' });
  });

  test('needs no permissions for its owner’s own channel, but a Steam account', async () => {
    const viewer = await addPerson(db);
    await admit(viewer);
    expect(await createThere({}, viewer)).toMatchObject({ ok: true });
    const other = await addPerson(db, { steam: false });
    await admit(other);
    expect(await createThere({}, other)).toEqual({ ok: false, code: 'steamNotLinked' });
  });

  test('cannot require channel points', async () => {
    await admit();
    expect(await createThere({ pointsCost: 500 })).toEqual({ ok: false, code: 'pointsElsewhere' });
  });

  test('is refused while the broadcaster’s link is broken, and on a channel without an owner', async () => {
    await admit();
    await restrict(host);
    expect(await createThere()).toEqual({ ok: false, code: 'channelUnavailable' });
    const nowhere = { requestId: newId(START_MS), userId: guest.userId, channelId: '1', draft: draft() };
    expect(await createRule(db, nowhere, START_MS)).toEqual({ ok: false, code: 'notAdmitted' });
  });

  test('promises rewards to the channel’s viewers, but neither to its owner nor to the broadcaster', async () => {
    const viewer = await addPerson(db);
    await admit();
    const channelId = host.twitchId;
    const ruleId = await addRule(db, guest, { channelId, rewards: 3, watchMinutes: 10 });
    await watchFor(
      db,
      channelId,
      [viewer, guest, host].map(({ twitchId }) => [twitchId, 600] as const),
    );
    await evaluateChannel(db, channelId, START_MS);
    const promised = (await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised');
    expect(promised.map(({ twitchId }) => twitchId)).toEqual([viewer.twitchId]);
  });
});

describe('A guest’s rules', () => {
  test('are paused when the guest is removed, and resumed when they are admitted again', async () => {
    await admit();
    const [there, own] = [await ruleThere(), await addRule(db, guest, { rewards: 0 })];
    await dismiss();
    expect([await standing(there), await standing(own)]).toEqual([
      ['paused', 'optInRevoked'],
      ['open', null],
    ]);
    await admit();
    expect(await standing(there)).toEqual(['open', null]);
  });

  test('are paused and resumed with the broadcaster’s link, whatever happens to the guest’s own', async () => {
    await admit();
    const there = await ruleThere();
    await restrict(guest);
    expect(await standing(there)).toEqual(['open', null]);
    await restrict(host);
    expect(await standing(there)).toEqual(['paused', 'lostPermission']);
    await reconnect(host);
    expect(await standing(there)).toEqual(['open', null]);
  });

  test('are not resumed with the link if the guest was removed meanwhile, and then say why', async () => {
    await admit();
    const there = await ruleThere();
    await restrict(host);
    await dismiss();
    expect(await standing(there)).toEqual(['paused', 'lostPermission']);
    await reconnect(host);
    expect(await standing(there)).toEqual(['paused', 'optInRevoked']);
    await restrict(host);
    await admit();
    expect(await standing(there)).toEqual(['paused', 'lostPermission']);
  });
});

test('Rules on a former channel are not resumed with another channel’s link', async () => {
  const ruleId = await addRule(db, guest, { rewards: 0 });
  await db.transaction(async (tx) => {
    await pauseRulesOf(tx, { ownerId: guest.userId, reason: 'lostPermission' }, START_MS);
    await tx
      .update(twitchAccounts)
      .set({ twitchId: '990001' })
      .where(eq(twitchAccounts.twitchId, guest.twitchId));
    await resumeRulesOf(tx, { ownerId: guest.userId, reason: 'lostPermission' }, START_MS);
  });
  expect((await standing(ruleId))[0]).toBe('paused');
});

describe('Deleting the account', () => {
  const nameOf = async ({ userId }: Person) =>
    (await db.read.select().from(users).where(eq(users.id, userId)))[0]?.email ?? '';
  const leave = async (person: Person) => {
    await updateTwitchTokens(db, {
      vault,
      twitchId: person.twitchId,
      grant: viewerGrant,
      replacesObtainedAtMs: START_MS,
    });
    return deleteAccount(db, { vault, userId: person.userId, proof: await nameOf(person) }, START_MS);
  };

  test('of a broadcaster leaves guests’ rules paused, and removes all guests', async () => {
    await admit();
    const there = await ruleThere();
    expect(await leave(host)).toMatchObject({ ok: true });
    expect(await standing(there)).toEqual(['paused', 'lostPermission']);
    expect(await listChannelsOpenTo(db, guest.userId)).toEqual([]);
  });

  test('of a guest removes them everywhere, and closes their rules', async () => {
    await admit();
    const there = await ruleThere();
    expect(await leave(guest)).toMatchObject({ ok: true });
    expect((await standing(there))[0]).toBe('closed');
    expect(await listGuests(db, { channelId: host.twitchId })).toEqual([]);
  });
});

test('An export lists the channels that admit the user, and the user’s own guests', async () => {
  await admit();
  const mine = await exportAccount(db, { userId: host.userId }, START_MS);
  const theirs = await exportAccount(db, { userId: guest.userId }, START_MS);
  expect(mine).toMatchObject({ hostChannels: [], guests: [{ admittedAt: '2026-01-05T12:00:00.000Z' }] });
  expect(theirs).toMatchObject({ hostChannels: [{ channelId: host.twitchId }], guests: [] });
});

test('Guests are admitted by login in any letter case, and twice changes nothing', async () => {
  const login = (await loginOf(db, guest)).toUpperCase();
  for (let times = 0; times < 2; times++)
    expect(await admitGuest(db, { userId: host.userId, login }, START_MS + times)).toMatchObject({
      ok: true,
    });
  const there = await ruleThere();
  expect(await listGuests(db, { channelId: host.twitchId })).toMatchObject([
    { userId: guest.userId, admittedAtMs: START_MS, rules: 1 },
  ]);
  expect(await listChannelsOpenTo(db, guest.userId)).toMatchObject([{ id: host.twitchId }]);
  expect(await listChannelsOpenTo(db, host.userId)).toEqual([]);
  expect(there).toBeTruthy();
});

test('Unknown users, oneself and users without a channel get different refusals', async () => {
  const admitted = (userId: string, login: string) => admitGuest(db, { userId, login }, START_MS);
  expect(await admitted(host.userId, 'nobody_here')).toEqual({ ok: false, code: 'strangerLogin' });
  expect(await admitted(host.userId, await loginOf(db, host))).toEqual({ ok: false, code: 'ownLogin' });
  expect(await admitted('no such user', await loginOf(db, guest))).toEqual({
    ok: false,
    code: 'twitchNotLinked',
  });
  expect(await dismiss()).toEqual({ ok: false, code: 'notFound' });
});

test('Nobody can remove another channel’s guest', async () => {
  await admit();
  const stranger = await addStreamer(db);
  const tried = await dismissGuest(db, { userId: stranger.userId, guestId: guest.userId }, START_MS);
  expect(tried).toEqual({ ok: false, code: 'notFound' });
  expect(await listGuests(db, { channelId: host.twitchId })).toHaveLength(1);
});
