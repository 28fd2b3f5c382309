import { expect, test } from 'vitest';
import { stepOfTotp, totpAt, totpUri } from '#domain/identity/second-factor/totp.ts';
import { second } from '#domain/kernel/time.ts';

const systemMs = Date.UTC(2026, 10, 23, 12);

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('At second %i an app shows what RFC 6238 says', (seconds, code) => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(totpAt(secret, seconds * second)).toBe(code);
  expect(stepOfTotp(secret, code, seconds * second)).toBe(Math.floor(seconds / 30));
});

test('A code is right for a step before and after its own, and no longer', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  const step = systemMs / (30 * second);
  const at = (away: number) => stepOfTotp(secret, totpAt(secret, systemMs + away), systemMs);
  expect([-60, -30, 0, 30, 60].map((away) => at(away * second))).toEqual([
    null,
    step - 1,
    step,
    step + 1,
    null,
  ]);
  for (const written of ['abcdef', 'ключик', '١٢٣٤٥٦', '1234567'])
    expect(stepOfTotp(secret, written, systemMs)).toBeNull();
  expect(stepOfTotp(secret, '', systemMs)).toBeNull();
});

test('The QR code says what an app has to show, and for whom', () => {
  const uri = new URL(totpUri('ABCD', { issuer: 'Keepsake (items.example)', account: 'mira+x@example.org' }));
  expect([uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'totp',
    '/Keepsake (items.example):mira+x@example.org',
  ]);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: 'ABCD',
    issuer: 'Keepsake (items.example)',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  expect(uri.href).not.toContain('+');
});
