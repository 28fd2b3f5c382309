import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Preview } from '#app/overlay/protocol.ts';
import { overlayPieces, overlayPlaces } from '#db/schema/overlay.ts';
import { locales } from '#db/schema/user.ts';
import { isId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import type { OverlayChoice } from '#domain/overlay/overlay.ts';
import { madeUpMoment } from './overlay-show.server.ts';

const place = z.enum(['off', ...overlayPlaces]);
const Looks = z.object({
  ...(Object.fromEntries(overlayPieces.map((piece) => [piece, place])) as Record<
    (typeof overlayPieces)[number],
    typeof place
  >),
  rule: z.string().refine((id) => id === '' || isId(id)),
  locale: z.enum(locales),
  calm: z.literal('on').optional(),
  sound: z.literal('on').optional(),
});

/** The looks that a form asks for; null if it cannot be read. An unchecked box is not sent. */
export function choiceIn(form: FormData | URLSearchParams): OverlayChoice | null {
  const read = Looks.safeParse(Object.fromEntries(form));
  if (!read.success) return null;
  const { rule, locale, calm, sound, ...places } = read.data;
  const layout = Object.fromEntries(
    overlayPieces.map((piece) => [piece, places[piece] === 'off' ? null : places[piece]]),
  ) as OverlayChoice['layout'];
  return { layout, ruleId: rule || null, locale, isCalm: calm === 'on', hasSound: sound === 'on' };
}

/** A preview of these looks, in which everybody is made up. */
export function previewOf({ layout, locale, isCalm }: OverlayChoice): Preview {
  const made = { en: 'Made_up', ru: 'Придуманный' }[locale];
  const watched = (hours: number) => ({ haveSeconds: Math.round(hours * 3600), needSeconds: 36_000 });
  const { item } = madeUpMoment('raffle', locale);
  const ruleName = { en: 'Ten hours together', ru: 'Десять часов вместе' }[locale];
  return {
    setup: { layout, locale, isCalm, hasSound: false, isStopped: false },
    board: {
      ruleName,
      pool: { given: 4, pending: 1, free: 3 },
      next: [
        { name: `${made}_01`, watched: watched(7.2) },
        { name: null, watched: watched(6.9) },
        { name: `${made}_02`, watched: watched(5.35) },
      ],
    },
    raffle: {
      state: 'running',
      keyword: { en: 'keep', ru: 'приз' }[locale],
      item,
      entries: 142,
      leftMs: 2 * minute,
      published: { entries: 138, hash: createHash('sha256').update(made).digest('hex') },
      won: [],
    },
    moments: [
      { ...madeUpMoment('reward', locale), ruleName },
      { ...madeUpMoment('winner', locale), kind: 'drawn', ruleName },
    ],
  };
}
