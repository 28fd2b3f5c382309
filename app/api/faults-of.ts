import type { z } from 'zod';
import type { TextKey } from '#app/locales/translation.ts';
import { commonFaults, type Fault, type FaultSource } from './failure.ts';

type Issue = z.core.$ZodIssue;

/** The value in a body that an issue is about: zod reports only its path. */
function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | null)?.[step], input);
}

/** A program is told that it left a field out or empty in the same words for each field; forms have words of their own. */
const isOmitted = (issue: Issue, input: unknown): boolean =>
  (issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined) ||
  (issue.code === 'too_small' && issue.origin === 'string' && issue.minimum === 1);

/** zod's own issue codes as keys of the locale. A schema may name its own key, with values after a bar. */
function wordsFor(issue: Issue, input: unknown): { key: TextKey; values?: Record<string, unknown> } {
  if (isOmitted(issue, input)) return { key: 'errors.field.required' };
  const [named = '', values] = issue.message.split('|');
  if (named.startsWith('errors.') || named.startsWith('api.'))
    return {
      key: named as TextKey,
      ...(values && { values: JSON.parse(values) as Record<string, unknown> }),
    };
  if (issue.code === 'too_small' && issue.origin === 'string')
    return { key: 'errors.field.tooShort', values: { min: issue.minimum } };
  if (issue.code === 'too_big' && issue.origin === 'string')
    return { key: 'errors.field.tooLong', values: { max: issue.maximum } };
  if (issue.code === 'invalid_value')
    return { key: 'errors.field.oneOf', values: { values: issue.values.map(String).join(', ') } };
  return { key: 'errors.field.invalid' };
}

/** All faults of an input that failed validation. `sourceOf` maps a path to its place in the request. */
export function faultsOf(
  error: z.ZodError,
  input: unknown,
  place: {
    status: number;
    unknown: keyof typeof commonFaults;
    sourceOf(path: readonly PropertyKey[]): FaultSource;
  },
): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        ...commonFaults[place.unknown],
        source: place.sourceOf([...issue.path, key]),
      }));
    const words = wordsFor(issue, input);
    const code = words.key === 'errors.field.oneOf' ? 'choice' : (words.key.split('.').at(-1) ?? 'invalid');
    return [{ status: place.status, code, ...words, source: place.sourceOf(issue.path) }];
  });
}

/** A JSON pointer to a place below `root`. */
export const pointerTo = (root: string, path: readonly PropertyKey[]): string =>
  root + path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
