import { expect, test } from 'vitest';
import { consentEvent, giveConsent, readConsent } from '#app/islands/consent.ts';
import { en } from '#app/locales/en.ts';
import { ru } from '#app/locales/ru.ts';

const day = 24 * 60 * 60 * 1000;
const noonMs = Date.UTC(2026, 4, 1, 12);

function openStore() {
  const rows = new Map<string, string>();
  return {
    rows,
    getItem: (key: string) => rows.get(key) ?? null,
    setItem: (key: string, value: string) => void rows.set(key, value),
    removeItem: (key: string) => void rows.delete(key),
  };
}

test.each(['all', 'essential'] as const)('The answer “%s” is stored and reported', (type) => {
  const store = openStore();
  const target = new EventTarget();
  const reported: unknown[] = [];
  target.addEventListener(consentEvent, (event) => reported.push((event as CustomEvent).detail));
  expect(readConsent(store, noonMs)).toBeNull();
  giveConsent(store, target, type, noonMs);
  expect(consentEvent).toBe('consent-updated');
  expect(reported).toEqual([{ type }]);
  const record = { type, timestamp: '2026-05-01T12:00:00.000Z', version: '1.0' };
  expect(readConsent(store, noonMs)).toEqual(record);
  expect([...store.rows]).toEqual([['keepsake.cookie-consent', JSON.stringify(record)]]);
});

test('An answer is valid for 365 days, then it is deleted and asked for again', () => {
  const store = openStore();
  giveConsent(store, new EventTarget(), 'all', noonMs);
  expect(readConsent(store, noonMs + 365 * day)).not.toBeNull();
  expect(readConsent(store, noonMs + 365 * day + 1)).toBeNull();
  expect(store.rows.size).toBe(0);
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '{"type":"all"}',
  '{"type":"some","timestamp":"2026-05-01","version":"1.0"}',
])('An unreadable record (%s) is ignored', (text) => {
  const store = openStore();
  store.rows.set('keepsake.cookie-consent', text);
  expect(readConsent(store, noonMs)).toBeNull();
  expect(store.rows.size).toBe(0);
});

test('The banner’s texts have the keys given in the specification', () => {
  const names = ['title', 'description', 'learn_more', 'accept_all', 'essential_only'];
  expect(Object.keys(en.cookie_consent)).toEqual(names);
  expect(Object.keys(ru.cookie_consent)).toEqual(names);
});
