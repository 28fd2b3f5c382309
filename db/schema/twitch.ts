import { index, int, json, table, text } from '#db/dialect.ts';

/** EventSub messages that were handled: Twitch delivers at least once. System time. */
export const seenMessages = table(
  'seen_messages',
  { id: text('id').primaryKey(), seenAtMs: int('seen_at_ms').notNull() },
  (t) => [index('seen_messages_at').on(t.seenAtMs)],
);

/** The conduit that carries all events once there are many channels. It outlives its sockets. */
export const conduits = table('conduits', {
  id: text('id').primaryKey(),
  createdAtMs: int('created_at_ms').notNull(),
});

/** A line to say in a channel's chat, written in the act's own transaction. What is old by the time it could be said is dropped. */
export const chatLines = table(
  'chat_lines',
  {
    id: text('id').primaryKey(),
    channelId: text('channel_id').notNull(),
    line: text('line').notNull(),
    values: json('values').$type<Record<string, string>>().notNull(),
    createdAtMs: int('created_at_ms').notNull(),
  },
  (t) => [index('chat_lines_channel').on(t.channelId, t.id)],
);
