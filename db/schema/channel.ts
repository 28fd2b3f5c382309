import { sql } from 'drizzle-orm';
import { bool, check, index, int, oneOf, primaryKey, table, text, within } from '#db/dialect.ts';

/** A Twitch broadcaster known here, by the broadcaster's Twitch id. */
export const channels = table('channels', {
  id: text('id').primaryKey(),
  login: text('login').notNull(),
  displayName: text('display_name').notNull(),
  pictureUrl: text('picture_url').notNull().default(''),
  live: bool('live').notNull().default(false),
  streamId: text('stream_id'),
  streamStartedAtMs: int('stream_started_at_ms'),
  /** Set when the stream was last seen to end; the same stream id coming back within the grace period goes on. */
  wentOfflineAtMs: int('went_offline_at_ms'),
  gameName: text('game_name').notNull().default(''),
  title: text('title').notNull().default(''),
  lastSeenAtMs: int('last_seen_at_ms').notNull(),
  /** The end of the last interval that was read; the next interval of the same stream starts here. */
  watchedUntilMs: int('watched_until_ms'),
  /** When the last complete list of followers was read: nobody's stored follow is older than that. */
  followsReadAtMs: int('follows_read_at_ms'),
});

/**
 * Seconds watched per channel and Twitch id, for every chatter, registered or not. `lookAtSeconds` is the total at
 * which some open rule's watch time is reached next: a tick evaluates only the rows that passed it.
 */
export const watchTimes = table(
  'watch_times',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    seconds: int('seconds').notNull(),
    lookAtSeconds: int('look_at_seconds').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.channelId, t.twitchId] }),
    index('watch_times_due').on(t.channelId).where(sql`${t.seconds} >= ${t.lookAtSeconds}`),
  ],
);

/** An interval of a live stream that did not count, and why. */
export const watchGapReasons = ['notPolled', 'twitchUnavailable', 'permissionLost'] as const;
export type WatchGapReason = (typeof watchGapReasons)[number];
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
    check('watch_gaps_reason', within(t.reason, watchGapReasons)),
  ],
);

/** Since when a Twitch user follows a channel, as last read. A missing row means: not known to follow. */
export const follows = table(
  'follows',
  {
    channelId: text('channel_id').notNull(),
    twitchId: text('twitch_id').notNull(),
    followedAtMs: int('followed_at_ms').notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.twitchId] })],
);
