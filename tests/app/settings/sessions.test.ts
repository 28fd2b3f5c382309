import { expect, test } from 'vitest';
import { en } from '#app/locales/en.ts';
import { database } from '#app/services/database.server.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

test('Another browser can be signed out from the list, after a confirmation page', async () => {
  const db = await database();
  const { userId } = await addPerson(db);
  const [here, elsewhere] = [await readerOf(userId), await readerOf(userId)];
  const settings = await here.open('/settings');
  const [path = ''] = /\/settings\/sessions\/[^/"]+\/end/.exec(settings.html) ?? [];
  expect(path).not.toBe('');
  expect((await here.open(path)).status).toBe(200);
  const after = await here.open(path, {});
  expect([after.status, after.path]).toEqual([200, '/settings']);
  expect(wordsOf(after.html)).toContain(en.settings.sessions.ended);
  expect(await listSessions(db, { userId, currentToken: null }, Date.now())).toHaveLength(1);
  expect((await elsewhere.open('/settings')).path).toBe('/auth/signup');
});
