import { expect, test } from 'vitest';
import { isId, isRequestId, newId, newSecurityCode } from '#domain/kernel/id.ts';
import { day, second } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';

test('Ids from one time are in order of creation', () => {
  const ids = Array.from({ length: 1000 }, () => newId(START_MS));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(1000);
  expect(ids.every(isId)).toBe(true);
});

test('An id from an earlier time sorts before one from a later time, whichever was created first', () => {
  const later = newId(START_MS + 1);
  expect(newId(START_MS) < later).toBe(true);
});

test('A request id comes from a page rendered before, not from the future', () => {
  expect(isRequestId(newId(START_MS), START_MS)).toBe(true);
  expect(isRequestId(newId(START_MS - day), START_MS)).toBe(true);
  expect(isRequestId(newId(START_MS + second), START_MS)).toBe(true);
  expect(isRequestId(newId(START_MS + 4 * second), START_MS)).toBe(true);
  expect(isRequestId(newId(START_MS + 4 * second + 1), START_MS)).toBe(false);
  expect(isRequestId('ffffffff-ffff-7fff-bfff-ffffffffffff', START_MS)).toBe(false);
  expect(isRequestId('00000000-0000-4000-8000-000000000000', START_MS)).toBe(false);
});

test('An id with extra, missing or uppercase characters is not an id', () => {
  const id = newId(START_MS);
  for (const wrong of [`x${id}`, `${id}0`, id.slice(1), id.toUpperCase(), id.replaceAll('-', '')])
    expect(isId(wrong), wrong).toBe(false);
});

test('Security codes do not repeat', () => {
  const codes = Array.from({ length: 2000 }, () => newSecurityCode());
  expect(new Set(codes).size).toBe(codes.length);
});

test('A security code has two groups of four letters that cannot be confused', () => {
  expect(newSecurityCode()).toMatch(/^[ABCDEFGHJKMNPQRSTVWXYZ2-9]{4}-[ABCDEFGHJKMNPQRSTVWXYZ2-9]{4}$/);
});
