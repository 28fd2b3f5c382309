import { isDeepStrictEqual } from 'node:util';

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The former values of changed fields, as `previous_attributes` has them: only the changed keys of inner
 * objects.
 */
export function previousAttributes(before: object, after: object): Fields {
  const [old, now] = [before as Fields, after as Fields];
  const changed: Fields = {};
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (isDeepStrictEqual(old[key], now[key])) continue;
    const [was, is] = [old[key], now[key]];
    changed[key] = isFields(was) && isFields(is) ? previousAttributes(was, is) : (was ?? null);
  }
  return changed;
}
