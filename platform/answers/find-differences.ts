import type { z } from 'zod';
import type { AnswerShape, OddAnswer } from './odd-answer.ts';

/** More differences in one answer than this are not told apart. */
const MAX_DIFFERENCES = 10;
/** Larger numbers may be ids, amounts or times. */
const MAX_NUMBER = 1000;
/** A platform's constant, such as `past_due` or `1000`: too few digits for an id or a token. */
const constant = /^(?:[A-Za-z][A-Za-z_ -]{0,39}|\d{1,4})$/;
/** Field names that platforms use; others may be ids. */
const plainKey = /^[A-Za-z_][A-Za-z_]{0,39}\d?$/;
const MAX_DEPTH = 4;
const MAX_KEYS = 40;
const MAX_ROWS = 2;
const MAX_EXAMPLE = 2000;
/** Stands for a value that is not stored. */
export const HIDDEN = '…';

type Path = readonly PropertyKey[];

/** Returns the differences between an answer and its shape, each once. */
export function findDifferences(shape: AnswerShape, answer: unknown): Omit<OddAnswer, 'count'>[] {
  const read = shape.schema.safeParse(answer);
  if (read.success) return [];
  const found = new Map<string, Omit<OddAnswer, 'count'>>();
  for (const issue of read.error.issues) {
    if (found.size >= MAX_DIFFERENCES) break;
    const odd = describe(shape, issue, answer);
    const key = `${odd.path} ${odd.difference} ${odd.found}`;
    if (!found.has(key)) found.set(key, odd);
  }
  return [...found.values()];
}

function describe(shape: AnswerShape, issue: z.core.$ZodIssue, answer: unknown): Omit<OddAnswer, 'count'> {
  const path = pathOf(issue.path);
  const value = valueAt(answer, issue.path);
  const around = valueAt(answer, issue.path.slice(0, -1));
  const difference = differenceOf(issue, value);
  const listed = difference.difference === 'value' ? shape.newValues : shape.reactions;
  const example = JSON.stringify(skeletonOf(around, 0));
  return {
    platform: shape.platform,
    place: shape.place,
    path,
    ...difference,
    reaction: listed?.[path] ?? shape.reaction,
    example: example !== undefined && example.length <= MAX_EXAMPLE ? example : null,
  };
}

function differenceOf(issue: z.core.$ZodIssue, value: unknown): Pick<OddAnswer, 'difference' | 'found'> {
  if (value === undefined) return { difference: 'missing', found: '' };
  if (issue.code !== 'invalid_value') return { difference: 'type', found: typeOf(value) };
  const isOfType = issue.values.some((each) => typeof each === typeof value);
  return isOfType
    ? { difference: 'value', found: harmlessValue(value) }
    : { difference: 'type', found: typeOf(value) };
}

function harmlessValue(value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Math.abs(value) < MAX_NUMBER ? String(value) : HIDDEN;
  return typeof value === 'string' && (value === '' || constant.test(value)) ? value : HIDDEN;
}

/** A place in a list is left out, because every row has the same shape. */
const pathOf = (path: Path): string =>
  path
    .map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');

const valueAt = (answer: unknown, path: Path): unknown =>
  path.reduce((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], answer);

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

/** A value without what it says: its types, and the fields whose names cannot be ids. */
function skeletonOf(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object' || depth >= MAX_DEPTH) return typeOf(value);
  if (Array.isArray(value)) return value.slice(0, MAX_ROWS).map((each) => skeletonOf(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => plainKey.test(key))
      .slice(0, MAX_KEYS)
      .map(([key, each]) => [key, skeletonOf(each, depth + 1)]),
  );
}
