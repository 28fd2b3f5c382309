import { and, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { test } from 'vitest';
import { excludedLogins, follows, subscribers, viewerGaps, watchTimes } from '#db/schema/channel.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { qualifications, type SubscriberTier } from '#db/schema/rule.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { recordAskedFollows, recordFollows } from '#domain/audience/record-follows.ts';
import { recordExcludedIds } from '#domain/channel/record-excluded-ids.ts';
import { recordFollowPage } from '#domain/channel/record-follow-list.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import { deferRedemptions } from '#domain/redemption/defer-redemptions.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import {
  addPerson,
  addRule,
  addStreamer,
  nextNumber,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { actsOnEachAlike, codeOf } from '#tests/support/mixed-list.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';
import { goLive } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';
import { watchFor } from '#tests/support/watching.ts';

interface Audience {
  channelId: string;
  streamer: Person;
  viewers: Person[];
}

/**
 * A streamer's channel with a viewer for each element, some of whom have not verified their email or have no account.
 */
async function gather(
  store: TestDatabase,
  elements: readonly { verified?: boolean; isStranger?: boolean }[],
): Promise<Audience> {
  const streamer = await addStreamer(store);
  const viewers: Person[] = [];
  for (const { verified = true, isStranger = false } of elements)
    viewers.push(isStranger ? strangerOf(nextNumber()) : await addPerson(store, { verified }));
  return { channelId: streamer.twitchId, streamer, viewers };
}

const strangerOf = (number: number): Person => ({
  userId: '',
  twitchId: String(900_000 + number),
  steamId: '',
});

/** Rows of a viewer on the channel. */
async function readViewer(store: TestDatabase, { channelId, viewers }: Audience, place: number) {
  const { twitchId } = viewers[place]!;
  const here = (table: typeof follows | typeof subscribers | typeof watchTimes | typeof viewerGaps) =>
    and(eq(table.channelId, channelId), eq(table.twitchId, twitchId));
  const q = store.read;
  const followed = await q.select().from(follows).where(here(follows));
  const subscribed = await q.select().from(subscribers).where(here(subscribers));
  const watched = await watchedRows(q, here(watchTimes));
  const gaps = await q.select().from(viewerGaps).where(here(viewerGaps));
  const qualified = await q.select().from(qualifications).where(eq(qualifications.twitchId, twitchId));
  return {
    follows: followed.map(({ followedAtMs, seenAtMs }) => [followedAtMs, seenAtMs]),
    tiers: subscribed.map(({ tier, missedAtMs }) => [tier, missedAtMs]),
    seconds: watched.map(({ seconds }) => seconds),
    gaps: gaps.map(({ fromMs, untilMs }) => [fromMs, untilMs]),
    qualified: qualified.map(({ qualifiedAtMs }) => qualifiedAtMs),
  };
}

const followedDays = fc.integer({ min: 0, max: 5 });
const follower = fc.record({ verified: fc.boolean(), followedDays, before: fc.option(followedDays) });
type FollowerFacts = typeof follower extends fc.Arbitrary<infer Facts> ? Facts : never;

async function gatherFollowers(store: TestDatabase, elements: readonly FollowerFacts[]) {
  const audience = await gather(store, elements);
  await addRule(store, audience.streamer, { watchMinutes: null, followDays: 3, rewards: 0 });
  const { channelId } = audience;
  const followersOf = (daysOf: (facts: FollowerFacts) => number | null) =>
    elements.flatMap((facts, place) => {
      const ago = daysOf(facts);
      const { twitchId } = audience.viewers[place]!;
      return ago === null ? [] : [{ twitchId, followedAtMs: START_MS - ago * day }];
    });
  await recordFollows(store, { channelId, followers: followersOf(({ before }) => before) }, START_MS - 1);
  return { ...audience, followers: followersOf(({ followedDays: ago }) => ago) };
}

test('Followers are stored and judged one by one, reported, asked about or listed', async () => {
  type World = Awaited<ReturnType<typeof gatherFollowers>>;
  const look = (store: TestDatabase, world: World, place: number) => readViewer(store, world, place);
  const tried = { element: follower, prepare: gatherFollowers, look };
  await actsOnEachAlike({
    ...tried,
    async act(store, { channelId, followers }) {
      await recordFollows(store, { channelId, followers }, START_MS);
      return null;
    },
  });
  await actsOnEachAlike({
    ...tried,
    async act(store, { channelId, followers }) {
      await recordAskedFollows(store, { channelId, followers }, START_MS);
      return null;
    },
  });
  await actsOnEachAlike({
    ...tried,
    async act(store, { channelId, followers }) {
      await recordFollowPage(store, { channelId, begunAtMs: START_MS - 2, cursor: null }, followers);
      return null;
    },
  });
});

test('A list of subscribers changes each viewer by what it says of them', () => {
  const tier = fc.option(fc.constantFrom<SubscriberTier>(1, 2, 3));
  return actsOnEachAlike({
    // Missed by no earlier list, by one too late to confirm anything, or by one that another look confirms.
    element: fc.record({ before: tier, missedSeconds: fc.constantFrom<number>(0, 90, 180), now: tier }),
    telling: ([null, 1] as const).flatMap((now) =>
      [
        [0, 90],
        [90, 0],
      ].map((all) => all.map((missedSeconds) => ({ before: 1 as const, missedSeconds, now }))),
    ),
    async prepare(store, elements) {
      const audience = await gather(
        store,
        elements.map(() => ({})),
      );
      type Facts = (typeof elements)[number];
      const listed = (tierOf: (facts: Facts) => SubscriberTier | null) =>
        elements.flatMap((facts, place) => {
          const held = tierOf(facts);
          return held === null ? [] : [{ twitchId: audience.viewers[place]!.twitchId, tier: held }];
        });
      const { channelId } = audience;
      for (const agoSeconds of [200, 180, 90]) {
        const subscribers = listed(({ before, missedSeconds }) =>
          missedSeconds < agoSeconds ? before : null,
        );
        await recordSubscribers(store, { channelId, subscribers, readAtMs: START_MS - agoSeconds * second });
      }
      return { ...audience, listed: listed(({ now }) => now) };
    },
    async act(store, { channelId, listed }) {
      await recordSubscribers(store, { channelId, subscribers: listed, readAtMs: START_MS });
      return null;
    },
    look: (store, world, place) => readViewer(store, world, place),
  });
});

test('A minute counts for each chatter by what they had watched', () =>
  actsOnEachAlike({
    element: fc.record({
      verified: fc.boolean(),
      isStranger: fc.boolean(),
      isElsewhere: fc.boolean(),
      watched: fc.constantFrom(null, 0, 50, 59, 60, 61, 600),
    }),
    telling: [
      [true, false],
      [false, true],
    ].map((all) =>
      all.map((isStranger) => ({ verified: true, isStranger, isElsewhere: true, watched: null })),
    ),
    async prepare(store, elements) {
      const audience = await gather(store, elements);
      const { channelId } = audience;
      await addRule(store, audience.streamer, { watchMinutes: 2, watchScope: 'allTime', rewards: 0 });
      await goLive(store, channelId);
      const pairs = elements.flatMap(({ watched }, place) =>
        watched === null ? [] : [[audience.viewers[place]!.twitchId, watched] as const],
      );
      await watchFor(store, channelId, pairs);
      const inChat = (elsewhere: boolean) =>
        audience.viewers.flatMap(({ twitchId }, place) =>
          elements[place]!.isElsewhere === elsewhere ? [twitchId] : [],
        );
      return { ...audience, here: inChat(false), elsewhere: inChat(true) };
    },
    async act(store, { channelId, here, elsewhere }) {
      const uncounted = { watchedElsewhere: elsewhere };
      const reading = { channelId, streamId: 's1', twitchIds: new Set(here), uncounted };
      await accrueWatchTime(store, reading, START_MS + minute);
      return null;
    },
    look: (store, world, place) => readViewer(store, world, place),
  }));

test('Excluded logins are replaced and get their ids one by one, or are all refused', () =>
  actsOnEachAlike({
    element: fc.record({
      before: fc.boolean(),
      isSeen: fc.boolean(),
      form: fc.constantFrom<(login: string) => string>(
        (login) => login,
        (login) => ` @${login.toUpperCase()} `,
        (login) => login,
        (login) => `${login}!`,
      ),
    }),
    async prepare(store, elements) {
      const audience = await gather(
        store,
        elements.map(() => ({})),
      );
      const login = (place: number) => `demo_login_${place}`;
      const { userId } = audience.streamer;
      const before = elements.flatMap((each, place) => (each.before ? [login(place)] : []));
      await setExcludedLogins(store, { userId, logins: [...before, 'demo_other'] });
      const seen = elements.flatMap(({ isSeen }, place) =>
        isSeen ? [{ login: login(place), twitchId: audience.viewers[place]!.twitchId }] : [],
      );
      return { ...audience, seen, logins: elements.map(({ form }, place) => form(login(place))) };
    },
    async act(store, { channelId, streamer: { userId }, seen, logins }) {
      const code = codeOf(await setExcludedLogins(store, { userId, logins }));
      if (code === null) await recordExcludedIds(store, { channelId, seen });
      return code;
    },
    async look(store, { channelId, viewers }, place) {
      const ofLogin = eq(excludedLogins.login, `demo_login_${place}`);
      const rows = await store.read
        .select()
        .from(excludedLogins)
        .where(and(eq(excludedLogins.channelId, channelId), ofLogin));
      return rows.map(({ twitchId }) => twitchId && twitchId === viewers[place]!.twitchId);
    },
  }));

test('Each settlement waits by its own attempts', () =>
  actsOnEachAlike({
    element: fc.record({
      attempts: fc.integer({ min: 1, max: 9 }),
      isEnded: fc.boolean(),
    }),
    async prepare(store, elements) {
      const audience = await gather(
        store,
        elements.map(() => ({})),
      );
      const ruleId = await addPointsRule(store, audience.streamer, { rewards: 0 });
      const leased: { id: string; attempts: number }[] = [];
      for (const [place, { attempts, isEnded }] of elements.entries()) {
        const { reported } = await redeem(store, ruleId, audience.viewers[place]!);
        if (isEnded)
          await redeem(store, ruleId, audience.viewers[place]!, { ...reported, status: 'CANCELED' });
        leased.push({ id: reported.id, attempts });
      }
      return { ...audience, leased };
    },
    async act(store, { leased }) {
      await deferRedemptions(store, leased, START_MS, { random: 0.5 });
      return null;
    },
    async look(store, { leased }, place) {
      const facts = { state: redemptions.state, runAtMs: redemptions.runAtMs };
      return store.read.select(facts).from(redemptions).where(eq(redemptions.id, leased[place]!.id));
    },
  }));
