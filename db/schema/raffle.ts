import { sql } from 'drizzle-orm';
import {
  bool,
  check,
  index,
  int,
  oneOf,
  primaryKey,
  sealed,
  table,
  text,
  uniqueIndex,
  within,
} from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';

export const raffleStates = ['prepared', 'running', 'sealed', 'drawn', 'over', 'cancelled'] as const;
export type RaffleState = (typeof raffleStates)[number];
/** The states that take the channel's one place for a raffle. */
export const liveRaffleStates = ['prepared', 'running', 'sealed'] as const satisfies readonly RaffleState[];
/** The states in which time or another row moves it on. */
export const movingRaffleStates = ['running', 'sealed', 'drawn'] as const satisfies readonly RaffleState[];
/** The states in which it holds items. */
export const holdingRaffleStates = [
  'prepared',
  'running',
  'sealed',
  'drawn',
] as const satisfies readonly RaffleState[];

/**
 * The reasons for which a raffle was cancelled: by its owner, because nobody was in it, with an account that somebody
 * else had used, or because its owner left the channel.
 */
export const raffleEnds = ['byOwner', 'noEntries', 'takenBack', 'channelLeft'] as const;
export type RaffleEnd = (typeof raffleEnds)[number];

/**
 * A raffle in a channel's chat. Its items are the rewards of a rule of its own, which is closed from the start: it
 * names the conditions, if there are any, and nobody is put on its waiting list.
 */
export const raffles = table(
  'raffles',
  {
    id: text('id').primaryKey(),
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    state: oneOf('state', raffleStates).notNull().default('prepared'),
    /** The word as its owner wrote it, without an exclamation mark, and as it is compared. */
    keyword: text('keyword').notNull(),
    keywordKey: text('keyword_key').notNull(),
    winners: int('winners').notNull(),
    /** Its length in milliseconds unless another one is given as it starts. */
    lengthMs: int('length_ms').notNull(),
    /** Days for which winners of the channel's raffles are left out; 0 if nobody is. */
    winnersOutDays: int('winners_out_days').notNull(),
    moderatorsMayEnter: bool('moderators_may_enter').notNull(),
    /** Secret until the draw, and sealed. Its SHA-256 is published as the raffle starts. */
    seed: sealed('seed', 'raffles.seed').notNull(),
    createdAtMs: int('created_at_ms').notNull(),
    startedAtMs: int('started_at_ms'),
    /** The end that was published as it started; it may be closed earlier. */
    plannedEndMs: int('planned_end_ms'),
    /** JSON of the names and values that the list's head covers besides; null before the start. */
    terms: text('terms'),
    /** Entries count up to this time, by Twitch's time of the line. */
    endsAtMs: int('ends_at_ms'),
    entryCount: int('entry_count').notNull().default(0),
    /** The running hash of the entries; of none, the head. Null before the start. */
    listHash: text('list_hash'),
    sealedAtMs: int('sealed_at_ms'),
    /**
     * Time at which Twitch took the chat line with the list's hash, for which the draw waits; null if it is not known
     * that a chat took it in time.
     */
    announcedAtMs: int('announced_at_ms'),
    drawnAtMs: int('drawn_at_ms'),
    endedAtMs: int('ended_at_ms'),
    endReason: oneOf('end_reason', raffleEnds),
  },
  (t) => [
    uniqueIndex('raffles_rule').on(t.ruleId),
    uniqueIndex('raffles_one_live').on(t.channelId).where(within(sql`state`, liveRaffleStates)),
    index('raffles_moving').on(t.state, t.endsAtMs).where(within(sql`state`, movingRaffleStates)),
    index('raffles_channel').on(t.channelId, t.id),
    index('raffles_owner').on(t.ownerId, t.id),
    check('raffles_state', within(t.state, raffleStates)),
    check('raffles_winners', sql`${t.winners} between 1 and 25`),
  ],
);

/** `held`: a winner without a verified account, whose place is kept for the claim window. */
export const placeStates = ['waiting', 'held', 'promised', 'passed'] as const;
export type PlaceState = (typeof placeStates)[number];
/** The reasons why a place got nothing. */
export const passReasons = ['unfit', 'hasOne', 'notTaken', 'itemGone'] as const;
export type PassReason = (typeof passReasons)[number];

/** The entries of a raffle, in the order in which they were taken down. After the draw each has a place. */
export const raffleEntries = table(
  'raffle_entries',
  {
    raffleId: text('raffle_id')
      .notNull()
      .references(() => raffles.id),
    /** The first entry is 1. */
    number: int('number').notNull(),
    twitchId: text('twitch_id').notNull(),
    /** The name in chat, for the line that tells winners; null once the raffle is over. */
    name: text('name'),
    /** Twitch's time of the line. */
    enteredAtMs: int('entered_at_ms').notNull(),
    /** Null before the draw. The first place is 1. */
    place: int('place'),
    placeState: oneOf('place_state', placeStates),
    heldUntilMs: int('held_until_ms'),
    passReason: oneOf('pass_reason', passReasons),
    rewardId: text('reward_id').references(() => rewards.id),
  },
  (t) => [
    primaryKey({ columns: [t.raffleId, t.number] }),
    uniqueIndex('raffle_entries_once').on(t.raffleId, t.twitchId),
    index('raffle_entries_viewer').on(t.twitchId),
    index('raffle_entries_places').on(t.raffleId, t.place).where(sql`place is not null`),
    index('raffle_entries_held').on(t.raffleId, t.place).where(sql`place_state = 'held'`),
  ],
);

/** The running hash of a raffle's entries as it was published, about every thirty seconds. */
export const raffleCheckpoints = table(
  'raffle_checkpoints',
  {
    raffleId: text('raffle_id')
      .notNull()
      .references(() => raffles.id),
    /** The last entry that it covers. */
    number: int('number').notNull(),
    hash: text('hash').notNull(),
    atMs: int('at_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.raffleId, t.number] })],
);
