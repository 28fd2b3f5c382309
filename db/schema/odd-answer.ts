import { int, table, text } from '#db/dialect.ts';

/**
 * The ways in which answers of Steam, Twitch and Stripe differed from what the code expects, each once. Rows have
 * nothing about a person: of the answers, only types and a platform's own constants are stored.
 */
export const oddAnswers = table('odd_answers', {
  /** A hash of the columns that tell one difference from another. */
  id: text('id').primaryKey(),
  platform: text('platform').$type<'steam' | 'twitch' | 'stripe'>().notNull(),
  place: text('place').notNull(),
  path: text('path').notNull(),
  difference: text('difference').$type<'missing' | 'type' | 'value'>().notNull(),
  found: text('found').notNull(),
  reaction: text('reaction')
    .$type<
      'noAnswer' | 'rowSkipped' | 'pending' | 'ignored' | 'unknown' | 'lowest' | 'refused' | 'readAsIs'
    >()
    .notNull(),
  /** Null if the object around the field is too large. */
  example: text('example'),
  count: int('count').notNull(),
  /** Domain time, as the one below. */
  firstSeenAtMs: int('first_seen_at_ms').notNull(),
  lastSeenAtMs: int('last_seen_at_ms').notNull(),
});
