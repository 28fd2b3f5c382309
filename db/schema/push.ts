import { sql } from 'drizzle-orm';
import { index, int, oneOf, sealed, table, text, uniqueIndex } from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

/** The events that a browser is told of by web push, in the order of a reward's life. */
export const pushEvents = ['promised', 'reminder', 'offerSent', 'delivered'] as const;
export type PushEvent = (typeof pushEvents)[number];

/** The pair of keys by which push services know this instance (VAPID). One row, made at the first start. */
export const pushKeys = table('push_keys', {
  id: text('id').primaryKey(),
  /** In base64url, as browsers get it when they subscribe. */
  publicKey: text('public_key').notNull(),
  privateKey: sealed('private_key', 'push_keys.private_key').notNull(),
  createdAtMs: int('created_at_ms').notNull(),
});

/** The reasons why nothing is sent to a device any more until it subscribes anew. */
export const pushEndings = ['gone', 'otherKey', 'notAllowed'] as const;
export type PushEnding = (typeof pushEndings)[number];

/** A browser that shows notices, by the subscription at its maker's push service. */
export const pushDevices = table(
  'push_devices',
  {
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** SHA-256 of the endpoint: one browser is one device, whoever signs in there. */
    endpointHash: text('endpoint_hash').notNull(),
    /** Endpoint and keys as JSON; empty once nothing can be sent there. Whoever has the endpoint can write to the browser. */
    subscription: sealed('subscription', 'push_devices.subscription').notNull(),
    /** Host and port of the endpoint: what is sent is paced by push service. */
    host: text('host').notNull(),
    /** Our public key that it subscribed with. */
    publicKey: text('public_key').notNull(),
    /** The hash of the session that turned it on; signing out there ends it. */
    sessionHash: text('session_hash'),
    /** SHA-256 of the id by which the browser itself is known, whoever signs in there; null if it has none. */
    browserHash: text('browser_hash'),
    userAgent: text('user_agent').notNull().default(''),
    /** The events that it is not told of, with spaces between them. */
    mutedEvents: text('muted_events').notNull().default(''),
    createdAtMs: int('created_at_ms').notNull(),
    lastSentAtMs: int('last_sent_at_ms'),
    endedAtMs: int('ended_at_ms'),
    ending: oneOf('ending', pushEndings),
  },
  (t) => [
    uniqueIndex('push_devices_endpoint').on(t.endpointHash),
    index('push_devices_user').on(t.userId),
    index('push_devices_session').on(t.sessionHash),
    index('push_devices_browser').on(t.browserHash),
  ],
);

/** The ends of a notice. */
export const pushOutcomes = ['sent', 'dropped', 'refused', 'givenUp'] as const;
export type PushOutcome = (typeof pushOutcomes)[number];

/** A notice for one device, written in the action's own transaction; a worker sends it. */
export const pushes = table(
  'pushes',
  {
    id: text('id').primaryKey(),
    deviceId: text('device_id')
      .notNull()
      .references(() => pushDevices.id, { onDelete: 'cascade' }),
    /** The device's, so that one slow push service does not keep others waiting. */
    host: text('host').notNull(),
    event: oneOf('event', pushEvents).notNull(),
    rewardId: text('reward_id').notNull(),
    /** The reward, or the transfer of an offer: no device is told of it twice. */
    subjectId: text('subject_id').notNull(),
    createdAtMs: int('created_at_ms').notNull(),
    runAtMs: int('run_at_ms').notNull(),
    /** Time after which nobody needs it any more. */
    expiresAtMs: int('expires_at_ms').notNull(),
    attempts: int('attempts').notNull().default(0),
    leaseUntilMs: int('lease_until_ms').notNull().default(0),
    endedAtMs: int('ended_at_ms'),
    outcome: oneOf('outcome', pushOutcomes),
    lastError: text('last_error'),
  },
  (t) => [
    uniqueIndex('pushes_once').on(t.deviceId, t.event, t.subjectId),
    index('pushes_due').on(t.host, t.runAtMs).where(sql`ended_at_ms is null`),
    index('pushes_next').on(t.runAtMs, t.host, t.leaseUntilMs).where(sql`ended_at_ms is null`),
    index('pushes_ended').on(t.endedAtMs).where(sql`ended_at_ms is not null`),
  ],
);
