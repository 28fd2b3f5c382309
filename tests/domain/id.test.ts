import { expect, test } from 'vitest';
import { isId, newId, newSecurityCode } from '#domain/id.ts';
import { START_MS } from '#tests/support/fixtures.ts';

test('Ids of one moment are in the order in which they were made', () => {
  const ids = Array.from({ length: 1000 }, () => newId(START_MS));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every(isId)).toBe(true);
});

test('An id of an earlier moment comes before one of a later moment, whichever was made first', () => {
  const later = newId(START_MS + 1);
  expect(newId(START_MS) < later).toBe(true);
});

test('A security code is two groups of four letters that cannot be mistaken for one another', () => {
  expect(newSecurityCode()).toMatch(/^[ABCDEFGHJKMNPQRSTVWXYZ2-9]{4}-[ABCDEFGHJKMNPQRSTVWXYZ2-9]{4}$/);
});
