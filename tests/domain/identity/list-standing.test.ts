import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { revokeApiToken } from '#domain/identity/access/revoke-api-token.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { endSession } from '#domain/identity/session/end-session.ts';
import {
  type Credential,
  filterValidCredentials,
} from '#domain/identity/session/filter-valid-credentials.ts';
import { openSession, SESSION_DAYS } from '#domain/identity/session/open-session.ts';
import { day } from '#domain/kernel/time.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const signIn = async (userId: string) => {
  const { token } = await openSession(db, { userId, userAgent: 'test' }, START_MS);
  return { token, credential: { by: 'session', id: hashOf(token), userId } satisfies Credential };
};
const standing = async (asked: Credential[], nowMs = START_MS) =>
  [...(await filterValidCredentials(db.read, asked, nowMs))].map((each) => asked.indexOf(each));

test('Sessions and tokens are listed until they end, each for its own user', async () => {
  const [ann, bob] = [await addPerson(db), await addPerson(db)];
  const [stays, ends] = [await signIn(ann.userId), await signIn(bob.userId)];
  const issued = await issueApiToken(db, { userId: ann.userId, name: 'demo' }, START_MS);
  if (!issued.ok) throw new Error(issued.code);
  const { tokenId } = issued;
  const token: Credential = { by: 'token', id: tokenId, userId: ann.userId };
  const stolen: Credential = { ...stays.credential, userId: bob.userId };
  const asked = [stays.credential, ends.credential, token, stolen, { ...token, id: 'made up' }];
  expect(await standing(asked)).toEqual([0, 1, 2]);
  await endSession(db, { token: ends.token });
  await revokeApiToken(db, { userId: ann.userId, tokenId });
  expect(await standing(asked)).toEqual([0]);
  expect(await standing(asked, START_MS + SESSION_DAYS * day)).toEqual([]);
});

test('However many are requested, each kind takes one query', async () => {
  const { userId } = await addPerson(db);
  const { credential } = await signIn(userId);
  let queries = 0;
  const counting = Object.create(db.read, {
    select: {
      value: (...fields: Parameters<typeof db.read.select>) => {
        queries++;
        return db.read.select(...fields);
      },
    },
  }) as typeof db.read;
  const sessions = Array.from({ length: 3000 }, (_, place) => ({ ...credential, id: `none ${place}` }));
  const found = await filterValidCredentials(counting, [...sessions, credential], START_MS);
  expect([...found]).toEqual([credential]);
  expect(queries).toBe(1);
});
