import { z } from 'zod';

// A form sends text for everything, JSON sends types; these fields take both.

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

/** A tick box: absent means no. */
export const flag = z
  .union([
    z.boolean(),
    z.enum(['on', 'true', 'false', '']).transform((value) => value === 'on' || value === 'true'),
  ])
  .default(false);

export const id = z.string().trim().min(1, 'must be given').max(100);

/** One id or several, as repeated form fields or as a JSON array. */
export const ids = z.union(
  [id.transform((one) => [one]), z.array(id).max(5000)],
  'must be one id or a list of ids',
);

export const text = (longest: number) => z.string().trim().min(1, 'must be given').max(longest);

/** A text that may be left empty, which means: as it is. */
export const optionalText = (longest: number) =>
  z
    .string()
    .trim()
    .max(longest)
    .transform((value) => value || undefined)
    .optional();
