import { sql } from 'drizzle-orm';
import { bool, check, index, int, json, oneOf, primaryKey, table, text, within } from '#db/dialect.ts';
import { locales, users } from '#db/schema/user.ts';

/** Only affiliates and partners of Twitch have subscribers. */
export const subscribersFaults = ['notAffiliate'] as const;
export type SubscribersFault = (typeof subscribersFaults)[number];

/** A broadcaster's type on Twitch; `plain` is neither affiliate nor partner. */
export const broadcasterTypes = ['plain', 'affiliate', 'partner'] as const;
export type BroadcasterType = (typeof broadcasterTypes)[number];

/**
 * The reasons why no lines of the bot reach a chat; `notAllowed`: past a hundred chats, the broadcaster has to let it
 * in; `notConnected`: none of its accounts is connected; `shared`: other channels that share the chat would see them.
 */
export const chatFaults = [
  'banned',
  'suspended',
  'restricted',
  'tooFast',
  'notAllowed',
  'notConnected',
  'shared',
] as const;
export type ChatFault = (typeof chatFaults)[number];

/** The reasons why an interval of a live stream did not count. */
export const watchGapReasons = ['notPolled', 'twitchUnavailable', 'permissionLost'] as const;
export type WatchGapReason = (typeof watchGapReasons)[number];

/** The commands that the bot answers in a chat. */
export const chatCommands = ['rewards', 'progress', 'watchTime', 'claim'] as const;
export type ChatCommand = (typeof chatCommands)[number];
/** A command as viewers type it, without the exclamation mark, and whether the bot answers it. */
export interface ChatCommandSetting {
  name: string;
  isOn: boolean;
}

/** A Twitch channel, by the broadcaster's Twitch id. */
export const channels = table(
  'channels',
  {
    id: text('id').primaryKey(),
    login: text('login').notNull(),
    displayName: text('display_name').notNull(),
    pictureUrl: text('picture_url').notNull().default(''),
    live: bool('live').notNull().default(false),
    streamId: text('stream_id'),
    streamStartedAtMs: int('stream_started_at_ms'),
    /** Tells its streams apart: raised as one begins. A stream that returns after a short break keeps its number. */
    streamNumber: int('stream_number').notNull().default(1),
    /** A broadcast that an event called a rerun or another repetition: it is listed like a stream, and is none. */
    repeatId: text('repeat_id'),
    /**
     * Set when the stream was last seen to end; the same stream id goes on if it returns within the grace
     * period.
     */
    wentOfflineAtMs: int('went_offline_at_ms'),
    gameName: text('game_name').notNull().default(''),
    title: text('title').notNull().default(''),
    lastSeenAtMs: int('last_seen_at_ms').notNull(),
    /** The end of the last counted interval, where the stream's next interval starts. */
    watchedUntilMs: int('watched_until_ms'),
    /** End of the last interval for which the chat's list was read in time, so that it counted; null before. */
    lookedUntilMs: int('looked_until_ms'),
    /** Numbers of people on that list, without the broadcaster, and of accounts of bots; null before. */
    lookedPeople: int('looked_people'),
    lookedBots: int('looked_bots'),
    /** The number of people whom that list lacked when last read, and since when so many; null if it lacked none. */
    chattersShort: int('chatters_short'),
    chattersShortSinceMs: int('chatters_short_since_ms'),
    /** The reason why the chat could not be read, and since when. It is over once the cursor is later. Domain time. */
    unreadReason: oneOf('unread_reason', watchGapReasons),
    unreadSinceMs: int('unread_since_ms'),
    /** Twitch's own number of viewers of the last stream and when it was read; null before. */
    viewers: int('viewers'),
    viewersReadAtMs: int('viewers_read_at_ms'),
    /** Time at which the last complete follower list was read. */
    followsReadAtMs: int('follows_read_at_ms'),
    /** Number of followers on that list; null if none was read yet. */
    followsListed: int('follows_listed'),
    /**
     * Start of the list reading that is under way, and the cursor to go on from; null if none is. Domain
     * time.
     */
    followsBegunAtMs: int('follows_begun_at_ms'),
    followsCursor: text('follows_cursor'),
    /** Time at which the last complete subscriber list was read. */
    subscribersReadAtMs: int('subscribers_read_at_ms'),
    /** The reason why Twitch does not report subscribers; null while it does. */
    subscribersFault: oneOf('subscribers_fault', subscribersFaults),
    /** The type as last read; null if it was not read yet. */
    broadcasterType: oneOf('broadcaster_type', broadcasterTypes),
    /** The UTC day up to which (exclusive) watch time was rolled up into `watch_days`; its first millisecond. */
    rolledUpToMs: int('rolled_up_to_ms'),
    /** True if watch time was credited since then. */
    hasUnrolledTime: bool('has_unrolled_time').notNull().default(false),
    /** Time watched by all viewers together on the open day. It moves to `channel_days` as the day ends. */
    openWatchSeconds: int('open_watch_seconds').notNull().default(0),
    /** Like the sum above, for the time that the channel was live, as far as that time counted. */
    openLiveSeconds: int('open_live_seconds').notNull().default(0),
    /**
     * Seconds of its streams that counted, ever: the clock by which its viewers' presence is kept. It stands still
     * while nothing counts and never goes back.
     */
    counted: int('counted').notNull().default(0),
    /** Raised whenever the set of those present may change: what a process remembers of it holds for one version. */
    version: int('version').notNull().default(0),
    /** The language of chat replies; null for the broadcaster's own. */
    chatLocale: oneOf('chat_locale', locales),
    /** The reason why the bot's lines do not reach the chat; null while they do, as far as Twitch reports. */
    chatFault: oneOf('chat_fault', chatFaults),
    /** Since when there is such a reason, whichever it is. Domain time. */
    chatFaultSinceMs: int('chat_fault_since_ms'),
    /** True if the broadcaster has been sent the mail about it. */
    chatFaultMailed: bool('chat_fault_mailed').notNull().default(false),
    /** The commands that the broadcaster changed. */
    chatCommands: json('chat_commands')
      .$type<Partial<Record<ChatCommand, ChatCommandSetting>>>()
      .notNull()
      .default({}),
    /** True if promises are announced in chat. */
    announcesPromises: bool('announces_promises').notNull().default(false),
    /** True if its broadcaster keeps it off the list of channels and without a public page. */
    hidden: bool('hidden').notNull().default(false),
  },
  (t) => [
    index('channels_login').on(t.login),
    index('channels_live').on(t.live),
    index('channels_troubled')
      .on(t.chatFaultSinceMs)
      .where(sql`chat_fault is not null and not chat_fault_mailed`),
    // Leaves out `watched_until_ms`, because each minute would rewrite the entry of each live channel.
    index('channels_to_roll_up').on(t.rolledUpToMs).where(sql`has_unrolled_time`),
  ],
);

/**
 * Lower-case logins excluded from watch time on a channel by its broadcaster. The id is stored once the login was
 * seen in chat: a renamed user stays excluded, and a new holder of the login is not.
 */
export const excludedLogins = table(
  'excluded_logins',
  {
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id),
    login: text('login').notNull(),
    twitchId: text('twitch_id'),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.login] })],
);

/** Streamers admitted to run rules on someone else's channel; its broadcaster may revoke this. */
export const channelGuests = table(
  'channel_guests',
  {
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    admittedAtMs: int('admitted_at_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.userId] }), index('channel_guests_user').on(t.userId)],
);

/**
 * Seconds watched per channel and Twitch id, for every chatter, registered or not. Those present earn by the channel's
 * clock, without a write, so nobody reads `seconds` alone (`watched`). `nextCheckSeconds` is the total at which the
 * viewer reaches the next open rule: a tick evaluates only those past it.
 */
export const watchTimes = table(
  'watch_times',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    /** The total when they last came or left. */
    seconds: int('seconds').notNull(),
    nextCheckSeconds: int('next_check_seconds').notNull(),
    /** The total at the last roll-up into `watch_days`. */
    rolledSeconds: int('rolled_seconds').notNull().default(0),
    /**
     * End of the last interval that counted for the viewer; null if none did since this is kept. Of those present it is
     * the channel's last one (`lastCountedMs`).
     */
    countedUntilMs: int('counted_until_ms'),
    /** The channel's `counted` when they came; null while they are away. */
    since: int('since'),
    /** The channel's `counted` at which they are due for evaluation; null while away, unless they left when due. */
    crossAt: int('cross_at'),
  },
  (t) => [
    primaryKey({ columns: [t.channelId, t.twitchId] }),
    index('watch_times_cross').on(t.channelId, t.crossAt).where(sql`cross_at is not null`),
    index('watch_times_viewer').on(t.twitchId),
  ],
);

/**
 * The streams that a viewer attended on a channel, counted while a rule there asks for streams, for every
 * chatter. A stream is attended once the viewer's watch time has grown enough in it.
 */
export const attendances = table(
  'attendances',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    streams: int('streams').notNull(),
    /** The stream in which they were last present; 0 if that no longer matters. */
    streamNumber: int('stream_number').notNull(),
    /** Their watch time on the channel when they were first present in it. */
    fromSeconds: int('from_seconds').notNull(),
    /** True if that stream is among those attended. */
    attended: bool('attended').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.twitchId] }), index('attendances_viewer').on(t.twitchId)],
);

/** The streams that a viewer attended last, numbered as they were attended; older ones are deleted. */
export const stamps = table(
  'stamps',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    number: int('number').notNull(),
    streamNumber: int('stream_number').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.twitchId, t.number] })],
);

/** An interval of a live stream that did not count, with the reason. */
export const watchGaps = table(
  'watch_gaps',
  {
    channelId: text('channel_id').notNull(),
    fromMs: int('from_ms').notNull(),
    untilMs: int('until_ms').notNull(),
    reason: oneOf('reason', watchGapReasons).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.channelId, t.fromMs] }),
    index('watch_gaps_from').on(t.fromMs),
    check('watch_gaps_reason', within(t.reason, watchGapReasons)),
  ],
);

/**
 * The reasons why an interval that counted on a channel did not count for one viewer who was in its chat: they were
 * in more live channels at once than count, the streamer excludes them, or their account is known as a bot's.
 */
export const viewerGapReasons = ['watchedElsewhere', 'excluded', 'bot'] as const;
export type ViewerGapReason = (typeof viewerGapReasons)[number];

/** An interval that counted on a channel, but not for this viewer. Only for people who are registered. */
export const viewerGaps = table(
  'viewer_gaps',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    fromMs: int('from_ms').notNull(),
    untilMs: int('until_ms').notNull(),
    reason: oneOf('reason', viewerGapReasons).notNull().default('watchedElsewhere'),
  },
  (t) => [
    primaryKey({ columns: [t.twitchId, t.channelId, t.fromMs] }),
    index('viewer_gaps_from').on(t.fromMs),
    index('viewer_gaps_channel').on(t.channelId, t.untilMs),
  ],
);

/** Since when a Twitch user follows a channel, as last read. A missing row means: not known to follow. */
export const follows = table(
  'follows',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    followedAtMs: int('followed_at_ms').notNull(),
    /** Start of the reading that listed it last, or time of another report. Domain time. */
    seenAtMs: int('seen_at_ms').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.twitchId] }), index('follows_viewer').on(t.twitchId)],
);

/**
 * The subscribers of a channel and their tiers (1–3), as last read. Viewers without a row are not known to
 * subscribe.
 */
export const subscribers = table(
  'subscribers',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    tier: int('tier').notNull(),
    /** Start of the first reading of the list that missed it; null if the last one did not. Domain time. */
    missedAtMs: int('missed_at_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.channelId, t.twitchId] }),
    index('subscribers_viewer').on(t.twitchId),
    check('subscribers_tier', sql`${t.tier} between 1 and 3`),
  ],
);

/** Seconds watched on one UTC day, written once at the day's turn. `dayMs` is the day's first millisecond. */
export const watchDays = table(
  'watch_days',
  {
    channelId: text('channel_id').notNull(),
    dayMs: int('day_ms').notNull(),
    twitchId: text('twitch_id').notNull(),
    seconds: int('seconds').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.channelId, t.dayMs, t.twitchId] }),
    index('watch_days_day').on(t.dayMs, t.channelId),
  ],
);

/**
 * A channel's numbers of one UTC day. Redemptions are added up as they arrive, and the watch time of the open
 * day is in `channels`, whose row each tick writes anyway; followers and subscribers are those of the day's
 * last complete list, null while no rule needs it. `dayMs` is the day's first millisecond.
 */
export const channelDays = table(
  'channel_days',
  {
    channelId: text('channel_id').notNull(),
    dayMs: int('day_ms').notNull(),
    /** The time watched by all viewers together. */
    watchSeconds: int('watch_seconds').notNull().default(0),
    /** Time that the channel was live, as far as that time counted. */
    liveSeconds: int('live_seconds').notNull().default(0),
    followers: int('followers'),
    subscribers: int('subscribers'),
    /** Channel points rewards by the day they were redeemed, and how many of those were refunded. */
    redeemed: int('redeemed').notNull().default(0),
    refunded: int('refunded').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.dayMs] })],
);
