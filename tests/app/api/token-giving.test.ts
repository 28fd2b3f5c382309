import './support/web.ts';
import { eq } from 'drizzle-orm';
import { afterEach, expect, test, vi } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { type Owner, ownerOfAll } from '../support/owner.ts';
import type { App } from './support/app.ts';
import { honestCalls } from './support/honest-calls.ts';
import { holdToken, signIn } from './support/people.ts';

afterEach(() => vi.useRealTimers());

/** Number of mails that the owner got about tokens giving items away. */
const reports = async ({ email }: Owner) =>
  (await (await database()).read.select().from(mails).where(eq(mails.recipient, email))).filter(
    ({ values }) => values.change === 'tokenGives',
  ).length;

async function call(app: App, owner: Owner, name: 'createRule' | 'addRewards') {
  const honest = await honestCalls[name]?.(owner);
  const path = name === 'createRule' ? '/api/v1/rules' : `/api/v1/rules/${owner.ids.rules}/rewards`;
  return app.post(path, honest?.json ? { json: honest.json } : {});
}

test('The owner hears once of a token that opens rules or adds rewards, and of each token by itself', async () => {
  const owner = await ownerOfAll();
  const [app, other] = [await holdToken(owner), await holdToken(owner)];
  expect((await call(app, owner, 'addRewards')).status).toBe(200);
  expect(await reports(owner)).toBe(1);
  expect((await call(app, owner, 'createRule')).status).toBe(201);
  expect(await reports(owner)).toBe(1);
  expect((await call(other, owner, 'createRule')).status).toBe(201);
  expect(await reports(owner)).toBe(2);
});

test('The owner hears again of a token after 30 days', async () => {
  const owner = await ownerOfAll();
  const app = await holdToken(owner);
  const nowMs = Date.now();
  await call(app, owner, 'createRule');
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs + 30 * day - minute });
  await call(app, owner, 'createRule');
  expect(await reports(owner)).toBe(1);
  vi.useFakeTimers({ toFake: ['Date'], now: nowMs + 30 * day + minute });
  expect((await call(app, owner, 'createRule')).status).toBe(201);
  expect(await reports(owner)).toBe(2);
});

test('What was refused, and what the owner does in a session, is not reported', async () => {
  const owner = await ownerOfAll();
  const app = await holdToken(owner);
  const refused = await app.post(`/api/v1/rules/${owner.ids.rules}/rewards`, {
    json: { items: [{ kind_id: '730-NothingOfMin', quantity: 1 }] },
  });
  expect(refused.codes).toEqual(['notEnough']);
  const session = await signIn(owner);
  expect((await call(session, owner, 'addRewards')).status).toBe(200);
  expect((await call(session, owner, 'createRule')).status).toBe(201);
  expect(await reports(owner)).toBe(0);
});
