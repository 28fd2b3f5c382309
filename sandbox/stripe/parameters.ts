import { z } from 'zod';
import type { FormObject } from './form.ts';
import { invalidRequest } from './refusals.ts';

// Everything in a form is text. Messages and codes are those of Stripe, https://docs.stripe.com/error-codes.

export const text = z.string({ error: 'Invalid string.' }).max(5000);

export const whole = z
  .string()
  .regex(/^-?\d{1,15}$/, { error: (issue) => `Invalid integer: ${String(issue.input)}` })
  .transform(Number);

export const bool = z
  .enum(['true', 'false'], { error: (issue) => `Invalid boolean: ${String(issue.input)}` })
  .transform((value) => value === 'true');

/** A list in bracket notation; an empty text clears it. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => {
    if (value === '') return [];
    return typeof value === 'object' && value !== null ? Object.values(value) : value;
  }, z.array(item));

/** An empty text unsets the field. */
export const orUnset = <Inner extends z.ZodType>(inner: Inner) =>
  z.union([z.literal('').transform(() => null), inner]);

/**
 * Merged with the stored metadata; an empty text deletes a key, or all keys,
 * https://docs.stripe.com/api/metadata.
 */
export const metadata = z
  .union([z.literal(''), z.record(z.string().max(40), z.string().max(500))])
  .optional();

export function mergeMetadata(
  stored: Record<string, string>,
  given: '' | Record<string, string> | undefined,
): Record<string, string> {
  if (given === undefined) return stored;
  if (given === '') return {};
  return Object.fromEntries(Object.entries({ ...stored, ...given }).filter(([, value]) => value !== ''));
}

export const address = z
  .strictObject({
    city: text.optional(),
    country: text.optional(),
    line1: text.optional(),
    line2: text.optional(),
    postal_code: text.optional(),
    state: text.optional(),
  })
  .optional();

/** Parameters that every endpoint takes. */
export const common = { expand: listOf(text).optional() };

/** Parameters of every list, https://docs.stripe.com/api/pagination. */
export const paging = {
  ...common,
  limit: whole.optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
};

export const createdRange = z
  .union([
    whole,
    z.strictObject({
      gt: whole.optional(),
      gte: whole.optional(),
      lt: whole.optional(),
      lte: whole.optional(),
    }),
  ])
  .optional();

function bracketed(path: readonly PropertyKey[]): string {
  const [first = '', ...rest] = path.map(String);
  return rest.reduce((name, part) => `${name}[${part}]`, first);
}

/** Reads parameters, or refuses with the words of Stripe. */
export function readParameters<Shape extends z.ZodObject>(shape: Shape, form: FormObject): z.output<Shape> {
  const read = shape.safeParse(form);
  if (read.success) return read.data;
  const issues = read.error.issues.flatMap(flatten);
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => bracketed([...issue.path, key])) : [],
  );
  if (unknown.length > 0) {
    throw invalidRequest(
      `Received unknown parameter${unknown.length > 1 ? 's' : ''}: ${unknown.join(', ')}`,
      {
        code: 'parameter_unknown',
        param: unknown[0] ?? '',
      },
    );
  }
  const [issue] = issues;
  const param = bracketed(issue?.path ?? []);
  if (issue?.code === 'invalid_type' && valueAt(form, issue.path) === undefined) {
    throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param });
  }
  const message = issue?.message ?? 'Invalid parameters.';
  const integer = message.startsWith('Invalid integer') ? { code: 'parameter_invalid_integer' } : {};
  throw invalidRequest(message, { ...integer, param });
}

/** The issues of the alternative that came closest. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const nearest = issue.errors.at(-1) ?? [];
  return nearest.flatMap((inner) => flatten({ ...inner, path: [...issue.path, ...inner.path] }));
}

function valueAt(form: FormObject, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    form,
  );
}
