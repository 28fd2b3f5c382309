import { bool, int, json, oneOf, sealed, table, text, uniqueIndex } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { locales, users } from '#db/schema/user.ts';

/** The pieces that an overlay is made of. */
export const overlayPieces = ['reward', 'winner', 'raffle', 'pool', 'goal', 'next'] as const;
export type OverlayPiece = (typeof overlayPieces)[number];

/** The places of a picture where a piece can stand. */
export const overlayPlaces = [
  'topLeft',
  'top',
  'topRight',
  'left',
  'right',
  'bottomLeft',
  'bottom',
  'bottomRight',
] as const;
export type OverlayPlace = (typeof overlayPlaces)[number];

/** The place of each piece; null for one that is not shown. */
export type OverlayLayout = Record<OverlayPiece, OverlayPlace | null>;

/**
 * A streamer's overlay and the dock that goes with it. Whoever has an address can read what it shows, so each has a
 * secret of its own: its SHA-256 finds the row, and its text is sealed, because the streamer copies it again.
 */
export const overlays = table(
  'overlays',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    overlayHash: text('overlay_hash').notNull(),
    overlaySecret: sealed('overlay_secret', 'overlays.overlay_secret').notNull(),
    dockHash: text('dock_hash').notNull(),
    dockSecret: sealed('dock_secret', 'overlays.dock_secret').notNull(),
    /** The pieces that the streamer moved or switched off. */
    layout: json('layout').$type<Partial<OverlayLayout>>().notNull().default({}),
    /** The rule that the pieces are about; null for the newest open one. */
    ruleId: text('rule_id').references(() => rules.id),
    locale: oneOf('locale', locales).notNull(),
    /** True if nothing in it moves. */
    isCalm: bool('is_calm').notNull().default(false),
    hasSound: bool('has_sound').notNull().default(false),
    /** Since when it shows nothing, by the streamer's wish; null while it does. Domain time. */
    stoppedAtMs: int('stopped_at_ms'),
    /** The id of the last request for a test, so that a repeated one sends nothing again. */
    testId: text('test_id').notNull().default(''),
    createdAtMs: int('created_at_ms').notNull(),
  },
  (t) => [uniqueIndex('overlays_overlay').on(t.overlayHash), uniqueIndex('overlays_dock').on(t.dockHash)],
);
