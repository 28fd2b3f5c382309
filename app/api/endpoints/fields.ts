import { z } from 'zod';
import { requiredText } from '#app/services/form-fields.server.ts';
import type { RefusalText } from '#app/services/refusals.server.ts';
import { weightBounds } from '#domain/draw/set-kind-weights.ts';
import { isId } from '#domain/id.ts';

/** Where the API begins. */
export const base = '/api/v1';

/** An id in an address. */
export const idParams = z.strictObject({ id: z.string().refine(isId) });

/** A few letters to look for. */
export const searchFilter = z.string().max(80).optional();

/** Only what is of one channel, by its numeric Twitch id. */
export const channelFilter = z
  .string()
  .regex(/^\d{1,20}$/)
  .optional();

/** Only what is of one game, by its number at Steam. */
export const gameFilter = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number)
  .optional();

/** A moment in UTC, such as 2026-11-30T16:20:00Z. */
export const momentFilter = z.iso
  .datetime()
  .transform((text) => Date.parse(text))
  .optional();

/** Missing, or not the caller's. */
export const notFound: Record<'notFound', RefusalText> = {
  notFound: { status: 404, key: 'errors.page.notFound' },
};

/** A kind's draw weight relative to the others. */
export const weightField = z.int().min(weightBounds.min).max(weightBounds.max);

/** Items as a caller picks them: so many of a kind. */
export const picked = z
  .array(
    z.strictObject({
      app_id: z.int().min(1).max(2_147_483_647),
      market_hash_name: requiredText(300),
      quantity: z.int().min(1).max(5000),
    }),
  )
  .max(100);

/** The same as the domain takes it. */
export const kindAmounts = (items: z.output<typeof picked>) =>
  items.map(({ app_id: appId, market_hash_name: marketHashName, quantity }) => ({
    appId,
    marketHashName,
    quantity,
  }));

/** The same with what each kind weighs, on a rule that draws. */
export const pickedWithWeights = z.array(picked.element.extend({ weight: weightField.optional() })).max(100);

export const weighedAmounts = (items: z.output<typeof pickedWithWeights>) =>
  kindAmounts(items).map((kind, place) => ({ ...kind, weight: items[place]?.weight }));

/** The part of a map of refusals that one endpoint can answer with. */
export const some = <Code extends string, Chosen extends Code>(
  all: Record<Code, RefusalText>,
  ...codes: Chosen[]
): Record<Chosen, RefusalText> =>
  Object.fromEntries(codes.map((code) => [code, all[code]])) as Record<Chosen, RefusalText>;
