import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { markTwitchRestricted } from '#domain/account/twitch/mark-twitch-restricted.ts';
import { recordMissingAccount } from '#domain/account/twitch/record-missing-account.ts';
import { recordShownAccounts } from '#domain/account/twitch/record-shown-accounts.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { recordReading } from '#domain/channel/record-reading.ts';
import { conditions } from '#domain/condition/conditions.ts';
import { botScope, streamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { prepareRaffle } from '#domain/raffle/prepare-raffle.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { correctRule } from '#domain/rule/correct-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { endPause } from '#domain/rule/end-pause.ts';
import { endingOf, listChannelChanges } from '#domain/rule/list-channel-changes.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { pauseRule } from '#domain/rule/pause-rule.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { testVault as vault } from '#tests/support/database.ts';
import { addPerson, addRule, addStreamer, draft, START_MS } from '#tests/support/fixtures.ts';
import { raffleDraft, readLists, stock } from '#tests/support/raffles.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

/** The watched channels, as text by the ending of their ids. */
async function listed(): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const channel of await listWatchedChannels(db.read)) {
    const ending = endingOf(channel.id);
    texts.set(ending, (texts.get(ending) ?? '') + JSON.stringify(channel));
  }
  return texts;
}

/** Does something, and returns the endings whose channels it changed and those whose changes were counted. */
async function follow(act: () => Promise<unknown>): Promise<{ changed: string[]; counted: string[] }> {
  const [before, counts] = [await listed(), await listChannelChanges(db.read)];
  await act();
  const [after, countsAfter] = [await listed(), await listChannelChanges(db.read)];
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (ending) => before.get(ending) !== after.get(ending),
  );
  const counted = [...countsAfter.keys()].filter((ending) => counts.get(ending) !== countsAfter.get(ending));
  return { changed, counted };
}

type Verb = readonly [name: string, act: () => Promise<unknown>];

/** Verbs in an order in which each changes what bots have to know of the streamer's channel. */
function ofStream(): Verb[] {
  const { twitchId: channelId } = streamer;
  const record = (streamId: string | null, nowMs: number) => {
    const stream = streamId === null ? null : { streamId, startedAtMs: START_MS, gameName: '', title: '' };
    return recordStream(db, { channelId, stream }, nowMs);
  };
  const renamed = { twitchId: channelId, login: 'renamed', displayName: 'Renamed' };
  return [
    ['a stream begins', () => record('s1', START_MS)],
    ['another one follows', () => record('s2', START_MS + minute)],
    ['it ends', () => record(null, START_MS + 2 * minute)],
    ['the broadcaster is renamed', () => recordNames(db, [renamed])],
    ['no line reaches the chat', () => recordChatFault(db, { channelId, fault: 'banned' }, START_MS)],
    ['lines reach it again', () => recordChatFault(db, { channelId, fault: null }, START_MS)],
  ];
}

function ofRule(): Verb[] {
  const { userId } = streamer;
  const ruleId = newId(START_MS);
  const asked = { requestId: ruleId, userId, channelId: null, draft: draft({}) };
  const wanted = { ...draft({}), followDays: 3 };
  return [
    ['a rule is created', () => createRule(db, asked, START_MS)],
    [
      'it asks for more',
      () => correctRule(db, { requestId: newId(START_MS), userId, ruleId, wanted }, START_MS),
    ],
    ['it is paused', () => pauseRule(db, { userId, ruleId, resumesAtMs: null }, START_MS)],
    ['it goes on', () => endPause(db, { userId, ruleId }, START_MS)],
    ...ofStream(),
    ...ofAccount(),
    ['it is closed', () => closeRule(db, { userId, ruleId }, START_MS)],
  ];
}

function ofAccount(): Verb[] {
  const { userId, twitchId } = streamer;
  const person = { twitchId, login: 'again', displayName: 'Again', pictureUrl: '', email: '' };
  const link = (more: readonly string[]) => {
    const scopes = [...streamerScopes, ...more];
    const grant = { accessToken: 'a', refreshToken: 'r', scopes, obtainedAtMs: 0, lifetimeSeconds: 3600 };
    return linkTwitch(db, { vault, userId, person, grant }, START_MS);
  };
  const unlink = async () => {
    await db.transaction(async (tx) => {
      await tx.update(users).set({ passwordHash: 'phc' }).where(eq(users.id, userId));
    });
    await unlinkTwitch(db, { vault, userId }, START_MS);
  };
  return [
    ['the account is no longer shown', () => recordMissingAccount(db, { twitchId }, START_MS)],
    ['it is shown again', () => recordShownAccounts(db, [twitchId], START_MS)],
    ['the bot is let in', () => link([botScope])],
    ['the grant ends', () => markTwitchRestricted(db, { twitchId, obtainedAtMs: 0 }, START_MS)],
    ['it is linked again', () => link([botScope])],
    ['it is unlinked, which pauses the rule', unlink],
  ];
}

function ofRaffle(): Verb[] {
  const raffleId = newId(START_MS + 1);
  const request = { requestId: raffleId, userId: streamer.userId, draft: raffleDraft() };
  return [
    ['a raffle is prepared', () => prepareRaffle(db, request, START_MS)],
    ['it is cancelled', () => cancelRaffle(db, { raffleId }, START_MS)],
  ];
}

test('Each verb that changes what bots know of a channel is counted, for its ending alone', async () => {
  const other = await addStreamer(db);
  await addRule(db, other, { rewards: 0 });
  await stock(db, streamer, 1);
  const ending = endingOf(streamer.twitchId);
  expect(endingOf(other.twitchId)).not.toBe(ending);
  for (const [name, act] of [...ofRaffle(), ...ofRule()]) {
    const { changed, counted } = await follow(act);
    expect({ name, changed, counted }).toEqual({ name, changed: [ending], counted: [ending] });
  }
});

test.each(conditions.map(({ column }) => column))(
  'A rule that begins to ask for %s is counted',
  async (column) => {
    const ruleId = await addRule(db, streamer, { rewards: 0 });
    for (const value of column === 'watchMinutes' ? [null, 7] : [3, null]) {
      const { changed, counted } = await follow(() =>
        db.transaction(async (tx) => {
          await tx
            .update(rules)
            .set({ followDays: 1, [column]: value })
            .where(eq(rules.id, ruleId));
        }),
      );
      expect(counted).toEqual(expect.arrayContaining(changed));
      expect(counted).toEqual([endingOf(streamer.twitchId)]);
    }
  },
);

test('Readings of a chat and of followers are not counted, nor is somebody who links an account', async () => {
  const { twitchId: channelId } = streamer;
  await addRule(db, streamer, { rewards: 0 });
  await recordStream(db, { channelId, stream: { streamId: 's1', startedAtMs: START_MS } }, START_MS);
  const { changed, counted } = await follow(async () => {
    const viewer = await addPerson(db);
    await watchFor(db, channelId, [[viewer.twitchId, 60]]);
    await recordReading(db, { channelId, unread: { reason: 'notPolled', sinceMs: START_MS } });
    await readLists(db, streamer, START_MS);
  });
  expect({ changed, counted }).toEqual({ changed: [], counted: [] });
});
