import { sql } from 'drizzle-orm';
import {
  check,
  index,
  int,
  is,
  json,
  oneOf,
  primaryKey,
  sealed,
  table,
  text,
  uniqueIndex,
  within,
} from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';

export const ruleStates = ['open', 'paused', 'closed'] as const;
export type RuleState = (typeof ruleStates)[number];
/** The states of a rule that is not closed: watch time and promises continue during a pause. */
export const liveRuleStates = ['open', 'paused'] as const satisfies readonly RuleState[];
export const ruleTypes = ['one', 'random'] as const;
export type RuleType = (typeof ruleTypes)[number];
export const watchScopes = ['sinceRule', 'allTime'] as const;
export type WatchScope = (typeof watchScopes)[number];
export const pauseReasons = [
  /** A new rule while the watch time of its channel's viewers is taken down. */
  'opening',
  'lostPermission',
  /** Twitch shows no such channel: it is suspended or deleted. */
  'channelMissing',
  'overLimit',
  'operator',
  'optInRevoked',
  /** By its owner, for a while or until they resume it. */
  'owner',
] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** Tiers of a channel subscription, as Twitch sells them (its 1000, 2000, 3000). */
export const subscriberTiers = [1, 2, 3] as const;
export type SubscriberTier = (typeof subscriberTiers)[number];

/** The columns of a rule's conditions; at least one of them is set while it is not closed. */
export const nullableColumns = [
  'followDays',
  'watchMinutes',
  'attendedStreams',
  'subscriberTier',
  'pointsCost',
] as const;
export type NullableColumn = (typeof nullableColumns)[number];

/** Conditions that may stop being met after the promise; claims are rechecked against them. */
export const revocableConditions = ['follow', 'subscriber', 'redemption'] as const;
export type RevocableCondition = (typeof revocableConditions)[number];

/** A rule: the conditions for viewers of a channel, and its rewards. All set conditions must be met. */
export const rules = table(
  'rules',
  {
    id: text('id').primaryKey(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id),
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id),
    name: text('name').notNull(),
    type: oneOf('type', ruleTypes).notNull(),
    state: oneOf('state', ruleStates).notNull().default('open'),
    pauseReason: oneOf('pause_reason', pauseReasons),
    /** Conditions; null if not required. */
    followDays: int('follow_days'),
    watchMinutes: int('watch_minutes'),
    watchScope: oneOf('watch_scope', watchScopes).notNull().default('sinceRule'),
    /** The minimum tier of a subscription to the channel. */
    subscriberTier: int('subscriber_tier').$type<SubscriberTier>(),
    /** The price in channel points of the custom reward Keepsake maintains for this rule. */
    pointsCost: int('points_cost'),
    /** The number of streams to attend, and of how many in a row; null if any count. */
    attendedStreams: int('attended_streams'),
    ofLastStreams: int('of_last_streams'),
    claimTimeoutHours: int('claim_timeout_hours').notNull(),
    /**
     * Hours after a promise before which its offer is not sent; the owner's choice when the rule was opened.
     */
    sendDelayHours: int('send_delay_hours').notNull().default(0),
    /** Secret until the rule closes, and sealed. Its HMAC orders viewers who qualified at the same moment. */
    seed: sealed('seed', 'rules.seed').notNull(),
    /** Number of recorded changes of its pool since the first draw (`pool_changes`, each time counted). */
    changeCount: int('change_count').notNull().default(0),
    /** The draw after which all of them are recorded: above 0 if it is older than the record. */
    changesFromDraw: int('changes_from_draw').notNull().default(0),
    /**
     * Time since when nothing of it is promised, claimed or sent, and no claim window runs out, because its
     * owner disowned it; null if it is not frozen.
     */
    frozenAtMs: int('frozen_at_ms'),
    /** Time at which its owner paused it; null if they did not. It is kept while another reason pauses it too. */
    pausedAtMs: int('paused_at_ms'),
    /** Time at which the owner's pause ends by itself; null if it does not. */
    resumesAtMs: int('resumes_at_ms'),
    /** Time at which the owner is reminded of a pause that does not end by itself; null once they were. */
    remindsAtMs: int('reminds_at_ms'),
    /**
     * The Twitch id after which its waiting list is still to be checked, because it became harder; null if all of it
     * was. Nothing is promised meanwhile.
     */
    checkAfter: text('check_after'),
    /** The rule whose place it took, because it asks for more; null if it took none. */
    succeedsId: text('succeeds_id').references((): never => rules.id as never),
    /**
     * The first of the rules of which nobody is promised more than one reward; null if it is this one. See
     * `lineOf`.
     */
    lineId: text('line_id').references((): never => rules.id as never),
    createdAtMs: int('created_at_ms').notNull(),
    /** Time at which its owner last had the bot announce it in chat; null if never. */
    announcedAtMs: int('announced_at_ms'),
    closedAtMs: int('closed_at_ms'),
    /** Time at which the waiting list and the counts for it were deleted, some time after it was closed. */
    prunedAtMs: int('pruned_at_ms'),
  },
  (t) => [
    index('rules_channel').on(t.channelId, t.state),
    index('rules_state').on(t.state, t.channelId),
    index('rules_owner').on(t.ownerId, t.id),
    index('rules_owner_live').on(t.ownerId, t.id).where(within(sql`state`, liveRuleStates)),
    index('rules_owner_frozen').on(t.ownerId, t.id).where(sql`frozen_at_ms is not null`),
    index('rules_to_check').on(t.channelId).where(sql`check_after is not null`),
    index('rules_resuming').on(t.resumesAtMs).where(sql`resumes_at_ms is not null`),
    index('rules_reminding').on(t.remindsAtMs).where(sql`reminds_at_ms is not null`),
    uniqueIndex('rules_one_successor').on(t.succeedsId).where(sql`succeeds_id is not null`),
    index('rules_to_prune').on(t.closedAtMs).where(sql`closed_at_ms is not null and pruned_at_ms is null`),
    check('rules_state', within(t.state, ruleStates)),
    check('rules_type', within(t.type, ruleTypes)),
    // A raffle that everybody may enter has a rule that asks nothing, and is closed from the start.
    check(
      'rules_has_condition',
      sql.join(
        [...nullableColumns.map((column) => sql`${t[column]} is not null`), is(t.state, 'closed')],
        sql` or `,
      ),
    ),
    check('rules_subscriber_tier', sql`${t.subscriberTier} between 1 and 3`),
    check('rules_attended_streams', sql`${t.attendedStreams} between 1 and 50`),
    check('rules_of_last_streams', sql`${t.ofLastStreams} between ${t.attendedStreams} and 50`),
    check('rules_claim_timeout', sql`${t.claimTimeoutHours} between 1 and 336`),
  ],
);

/** A viewer's watch time when a rule that counts from its start was created; no row means zero. */
export const watchBaselines = table(
  'watch_baselines',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    twitchId: text('twitch_id').notNull(),
    seconds: int('seconds').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.twitchId] })],
);

/** The streams that a viewer had attended when a rule that asks for streams was created; no row means none. */
export const attendanceBaselines = table(
  'attendance_baselines',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    twitchId: text('twitch_id').notNull(),
    streams: int('streams').notNull(),
  },
  (t) => [primaryKey({ columns: [t.ruleId, t.twitchId] })],
);

/** The rules that viewers have met, each with the time since when: the waiting list, in order. */
export const qualifications = table(
  'qualifications',
  {
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    twitchId: text('twitch_id').notNull(),
    qualifiedAtMs: int('qualified_at_ms').notNull(),
    /** HMAC of the Twitch id under the rule's seed: breaks ties. */
    tieBreak: text('tie_break').notNull(),
    /** Null while waiting. */
    promisedAtMs: int('promised_at_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.ruleId, t.twitchId] }),
    // A viewer's rows lie together, because a sweep reads them viewer by viewer.
    uniqueIndex('qualifications_viewer').on(t.twitchId, t.ruleId),
    index('qualifications_waiting')
      .on(t.ruleId, t.qualifiedAtMs, t.tieBreak)
      .where(sql`promised_at_ms is null`),
  ],
);

/** The values of a rule that its owner can correct, as they are published. */
export type CorrectedValues = Partial<
  Pick<
    typeof rules.$inferSelect,
    'name' | 'type' | 'claimTimeoutHours' | NullableColumn | 'watchScope' | 'ofLastStreams'
  >
>;

/** Corrections of rules, each with the old and the new value of everything that it changed. They are public. */
export const ruleCorrections = table(
  'rule_corrections',
  {
    id: text('id').primaryKey(),
    ruleId: text('rule_id')
      .notNull()
      .references(() => rules.id),
    atMs: int('at_ms').notNull(),
    /** The number of the last draw before it; 0 before the first. */
    afterDraw: int('after_draw').notNull(),
    before: json('before').$type<CorrectedValues>().notNull(),
    after: json('after').$type<CorrectedValues>().notNull(),
  },
  (t) => [index('rule_corrections_rule').on(t.ruleId, t.id)],
);
