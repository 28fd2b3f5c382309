import { z } from 'zod';

// Forms send everything as text, JSON sends types; these fields accept both.

/** A whole number within bounds. */
export const wholeNumber = (from: number, to: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .trim()
          .regex(/^-?\d+$/)
          .transform(Number),
      ],
      'must be a whole number',
    )
    .pipe(
      z.int('must be a whole number').min(from, `must be at least ${from}`).max(to, `must be at most ${to}`),
    );

/** A checkbox: absent means false. */
export const flag = z
  .union([
    z.boolean(),
    z.enum(['on', 'true', 'false', '']).transform((value) => value === 'on' || value === 'true'),
  ])
  .default(false);

export const id = z.string().trim().min(1, 'must be given').max(100);

/** One or more ids, as repeated form fields or a JSON array. */
export const ids = z.union(
  [id.transform((one) => [one]), z.array(id).max(5000)],
  'must be one id or a list of ids',
);

export const text = (maxLength: number) => z.string().trim().min(1, 'must be given').max(maxLength);

/** An optional text; empty counts as absent. */
export const optionalText = (maxLength: number) =>
  z
    .string()
    .trim()
    .max(maxLength)
    .transform((value) => value || undefined)
    .optional();

/** A name on Twitch. */
export const login = z
  .string()
  .trim()
  .regex(/^\w{3,25}$/, 'must be 3 to 25 letters, digits or underscores');
