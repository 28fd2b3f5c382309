import { expect, test } from 'vitest';
import { refuseBody } from '#app/http/body-refusal.server.ts';
import { limitBody } from '#app/http/request-body.ts';
import { database } from '#app/services/database.server.ts';
import { isMember, saveSession } from '#app/services/sign-in/session.server.ts';
import { endSession } from '#domain/identity/session/end-session.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { addPerson } from '#tests/support/fixtures.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

/** The answer to a form that is larger than any of a visitor's. */
async function statusWith(cookie: string): Promise<number | 'passed'> {
  const request = new Request('http://localhost:3000/items', {
    method: 'POST',
    headers: { Cookie: cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: `n=${'a'.repeat(100 * 1024)}`,
  });
  const outcome = await limitBody(request, { refuse: refuseBody, isMember });
  return outcome instanceof Response ? outcome.status : 'passed';
}

test('Only who has a session that goes on may send the large forms of members', async () => {
  const db = await database();
  const { userId } = await addPerson(db);
  const { token } = await openSession(db, { userId, userAgent: 'test' }, Date.now());
  const [cookie = ''] = (await saveSession(token)).split(';');
  expect(await statusWith('')).toBe(413);
  expect(await statusWith((await saveSession('made-up')).split(';')[0] ?? '')).toBe(413);
  expect(await statusWith(cookie)).toBe('passed');
  await endSession(db, { token });
  expect(await statusWith(cookie)).toBe(413);
});
