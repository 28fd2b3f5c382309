import { sql } from 'drizzle-orm';
import { bool, check, index, int, oneOf, primaryKey, table, text, within } from '#db/dialect.ts';

export const botStates = ['offline', 'starting', 'ready', 'broken'] as const;
export type BotState = (typeof botStates)[number];

/** A trade bot's Steam account, under the name the operator gave it. */
export const bots = table(
  'bots',
  {
    id: text('id').primaryKey(),
    steamId: text('steam_id'),
    state: oneOf('state', botStates).notNull().default('offline'),
    /** The reason why it is broken, as a code that pages translate. */
    fault: text('fault'),
    /** The epoch of the lease `steam` under which a process used this account last. */
    leaseEpoch: int('lease_epoch').notNull().default(0),
    heartbeatAtMs: int('heartbeat_at_ms').notNull().default(0),
    /** Steam's one-time Trade Protection notice was acknowledged. */
    protectionAcknowledged: bool('protection_acknowledged').notNull().default(false),
    /** The newest refresh token that Steam issued; the one before it may be dead. */
    refreshTokenSealed: text('refresh_token_sealed'),
    firstSeenAtMs: int('first_seen_at_ms').notNull(),
    /** The account as Steam shows it: its name, picture, level and age. Read about once a day. */
    profileName: text('profile_name').notNull().default(''),
    pictureUrl: text('picture_url').notNull().default(''),
    steamLevel: int('steam_level'),
    steamSinceMs: int('steam_since_ms'),
    /** Rewards delivered, and those that Steam reversed later, when the profile was read. */
    delivered: int('delivered').notNull().default(0),
    reversed: int('reversed').notNull().default(0),
    profileReadAtMs: int('profile_read_at_ms'),
    /** Steam's last refusal of an offer that concerns the account, in its own words, until it takes one again. */
    refusedWith: text('refused_with'),
    /** The code of that refusal, the number of such refusals since Steam last took an offer, and the first. */
    refusedCode: text('refused_code'),
    refusals: int('refusals').notNull().default(0),
    refusedSinceMs: int('refused_since_ms'),
    /** The transfer that was refused last: repeated refusals of one say little about the account. */
    refusedTransferId: text('refused_transfer_id'),
    /** Nothing is sent for `sendPauseMs` from then on; each pause is longer than the last. System time. */
    sendPausedAtMs: int('send_paused_at_ms').notNull().default(0),
    sendPauseMs: int('send_pause_ms').notNull().default(0),
    /** No log-on for `logOnPauseMs` from then on, and the number of log-ons in a row that failed. System time. */
    logOnPausedAtMs: int('log_on_paused_at_ms').notNull().default(0),
    logOnPauseMs: int('log_on_pause_ms').notNull().default(0),
    logOnFailures: int('log_on_failures').notNull().default(0),
  },
  (t) => [check('bots_state', within(t.state, botStates))],
);

/** Number of items of a game that a bot can hold for others, as far as Steam tells how much room its account has. */
export const botCapacities = table(
  'bot_capacities',
  {
    botId: text('bot_id')
      .notNull()
      .references(() => bots.id),
    appId: int('app_id').notNull(),
    capacity: int('capacity').notNull(),
  },
  (t) => [primaryKey({ columns: [t.botId, t.appId] })],
);

/** A period in which no bot could deliver; every open claim window was extended by it. Domain time. */
export const outages = table(
  'outages',
  {
    id: text('id').primaryKey(),
    endedAtMs: int('ended_at_ms').notNull(),
    lastedMs: int('lasted_ms').notNull(),
  },
  (t) => [
    index('outages_ended').on(t.endedAtMs),
    /** The outages by which claim windows are still to be extended. */
    index('outages_open').on(t.endedAtMs).where(sql`id like 'open:%'`),
  ],
);

/**
 * Time at which a round over everything last ended, by the worker's name, so that a restart begins none
 * before it is due. System time.
 */
export const longRounds = table('long_rounds', {
  worker: text('worker').primaryKey(),
  endedAtMs: int('ended_at_ms').notNull(),
});
