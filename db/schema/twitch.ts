import { index, int, json, table, text } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';

/** EventSub messages that were handled: Twitch delivers at least once. System time. */
export const seenMessages = table(
  'seen_messages',
  { id: text('id').primaryKey(), seenAtMs: int('seen_at_ms').notNull() },
  (t) => [index('seen_messages_at').on(t.seenAtMs)],
);

/**
 * Number of changes to what bots have to know of channels, for all of them together whose ids have the same two last
 * digits. Triggers count in the transaction of each change, so no writer can forget it.
 */
export const channelChanges = table('channel_changes', {
  ending: text('ending').primaryKey(),
  changes: int('changes').notNull(),
});

/** The conduit that carries all events once there are many channels. It outlives its sockets. */
export const conduits = table('conduits', {
  id: text('id').primaryKey(),
  createdAtMs: int('created_at_ms').notNull(),
});

/** An announcement of a raffle in chat. */
export type RaffleAnnouncement =
  | {
      kind: 'started';
      raffleId: string;
      keyword: string;
      item: string;
      winners: number;
      endsAtMs: number;
      commitment: string;
    }
  | { kind: 'entered'; raffleId: string; entries: number; listHash: string }
  | { kind: 'sealed'; raffleId: string; entries: number; listHash: string; commitment: string }
  | { kind: 'drawn'; raffleId: string; names: string[]; withoutAccount: string[]; hours: number }
  | { kind: 'nobody'; raffleId: string }
  | { kind: 'elsewhere'; raffleId: string; keyword: string };

/**
 * Lines that the bot has to post in a channel's chat: promises, written in the promise's own transaction, and open
 * rules that their owners ask it to announce. Stale announcements are dropped.
 */
export const chatAnnouncements = table(
  'chat_announcements',
  {
    id: text('id').primaryKey(),
    channelId: text('channel_id')
      .notNull()
      .references(() => channels.id),
    /** Some of them by name. */
    names: json('names').$type<string[]>().notNull(),
    /** Number of further viewers. */
    others: int('others').notNull(),
    ruleName: text('rule_name').notNull(),
    /** The whole line, if it is about an open rule; null for promises. */
    line: text('line'),
    /** News of a raffle, which the bot words in the channel's language; null for anything else. */
    raffle: json('raffle').$type<RaffleAnnouncement>(),
    createdAtMs: int('created_at_ms').notNull(),
  },
  (t) => [
    index('chat_announcements_channel').on(t.channelId, t.id),
    index('chat_announcements_created').on(t.createdAtMs),
  ],
);
