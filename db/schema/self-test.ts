import { check, int, oneOf, primaryKey, table, text, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';

/** The places where Steam shows an offer: the list, by its id, the page of sent offers, its trade, its items. */
export const testedEndpoints = ['list', 'offer', 'page', 'history', 'inventory'] as const;
export type TestedEndpoint = (typeof testedEndpoints)[number];
/** Known offers of two kinds, because Steam may leave out those of one only. */
export const testedOffers = ['open', 'accepted'] as const;
/** `absent`: it does not show the offer; `state`, `contents`: it says something else of it. */
export const selfTestDifferences = ['absent', 'state', 'contents'] as const;

/** The last self-tests: whether an endpoint of Steam shows what a bot knows of its own offers, by game. */
export const selfTests = table(
  'self_tests',
  {
    botId: text('bot_id')
      .notNull()
      .references(() => bots.id),
    endpoint: oneOf('endpoint', testedEndpoints).notNull(),
    appId: int('app_id').notNull(),
    offers: oneOf('offers', testedOffers).notNull(),
    /** Null if it agreed. */
    difference: oneOf('difference', selfTestDifferences),
    /** The offer by which it was tested. */
    offerId: text('offer_id').notNull(),
    /** Domain time, as the one below. */
    testedAtMs: int('tested_at_ms').notNull(),
    /** Time since when nothing is concluded from the endpoint; null if it agreed. */
    differsSinceMs: int('differs_since_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.botId, t.endpoint, t.appId, t.offers] }),
    check('self_tests_endpoint', within(t.endpoint, testedEndpoints)),
    check('self_tests_offers', within(t.offers, testedOffers)),
    check('self_tests_difference', within(t.difference, selfTestDifferences)),
  ],
);
