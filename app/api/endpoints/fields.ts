import { z } from 'zod';
import { boundedInt } from '#app/services/forms/form-fields.server.ts';
import type { RefusalText } from '#app/services/forms/refusals.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { weightBounds } from '#domain/rule/set-kind-weights.ts';
import { kindId } from '../shapes.ts';

/** The relationships that answers with a user include. */
export const accountsIncluded = { steamAccount: true, twitchAccount: true };

/** The base path of the API. */
export const base = '/api/v1';

/** An id in an address. */
export const idParams = z.strictObject({ id: z.string().refine(isId) });

/** A search text. */
export const searchFilter = z.string().max(80).optional();

/** Only entries of one channel, by its numeric Twitch id. */
export const channelFilter = z
  .string()
  .regex(/^\d{1,20}$/)
  .optional();

/** Only entries of one game, by its Steam app id. */
export const gameFilter = z
  .string()
  .regex(/^\d{1,9}$/, 'errors.field.number')
  .transform(Number)
  .optional();

/** A time in UTC, such as 2026-11-30T16:20:00Z. */
export const momentFilter = z.iso
  .datetime()
  .transform((text) => Date.parse(text))
  .optional();

/** Missing, or not the caller's. */
export const notFound: Record<'notFound', RefusalText> = {
  notFound: { status: 404, key: 'errors.page.notFound' },
};

/** A kind's draw weight relative to the others. */
export const weightField = boundedInt(weightBounds);

/** A quantity of one kind of item, special or plain. */
export const picked = z
  .array(z.strictObject({ kind_id: kindId, quantity: boundedInt({ min: 1, max: 5000 }) }))
  .max(100);

/** Like `picked`; with a `wear` that is not empty, only the piece with exactly this wear. */
export const pickedPieces = z.array(picked.element.extend({ wear: z.string().max(40).optional() })).max(100);

/** Like `picked` with draw weights, for random rules: a weight applies to the whole kind. */
export const pickedWithWeights = z
  .array(pickedPieces.element.extend({ weight: weightField.optional() }))
  .max(100);

/** The refusals of a map that one endpoint can return. */
export const some = <Code extends string, Chosen extends Code>(
  all: Record<Code, RefusalText>,
  ...codes: Chosen[]
): Record<Chosen, RefusalText> =>
  Object.fromEntries(codes.map((code) => [code, all[code]])) as Record<Chosen, RefusalText>;
