import { expect, test } from 'vitest';
import { serverIn } from '#tests/support/postgres-server.ts';

test('An empty address of the PostgreSQL server counts as none', () => {
  expect(serverIn({ TEST_POSTGRES_URL: '' })).toBeUndefined();
  expect(serverIn({})).toBeUndefined();
  expect(serverIn({ TEST_POSTGRES_URL: 'postgres://localhost/x' })).toBe('postgres://localhost/x');
});
