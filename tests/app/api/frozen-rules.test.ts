import './support/web.ts';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { users } from '#db/schema/user.ts';
import { freezeAccount } from '#domain/freeze/freeze-account.ts';
import { minute } from '#domain/kernel/time.ts';
import { endFreezeOf } from '#tests/support/freezing.ts';
import { streamer } from './support/people.ts';

const api = '/api/v1';

test('A frozen rule says since when, in the list and by itself, and no more once its freeze has ended', async () => {
  const owner = await streamer();
  const made = await owner.app.post(`${api}/rules`, { json: { name: 'Demo', follow_days: 1 } });
  const { id } = made.body.data;
  expect(made.body.data.attributes).toMatchObject({ state: 'open', frozen_since: null });
  const nowMs = Date.now();
  await owner.db.transaction((tx) =>
    freezeAccount(tx, { userId: owner.userId, actAtMs: nowMs - minute }, nowMs),
  );
  const frozen = { state: 'open', frozen_since: new Date(nowMs).toISOString() };
  const listed = await owner.app.get(`${api}/rules`);
  expect(listed.body.data.map(({ attributes }: { attributes: object }) => attributes)).toMatchObject([
    frozen,
  ]);
  expect((await owner.app.get(`${api}/rules/${id}`)).body.data.attributes).toMatchObject(frozen);
  await endFreezeOf(owner.db, owner, 'goOn', nowMs + minute);
  const [user] = await owner.db.read.select().from(users).where(eq(users.id, owner.userId));
  expect(user!.frozenAtMs).toBeNull();
  const thawed = await owner.app.get(`${api}/rules/${id}`);
  expect(thawed.body.data.attributes).toMatchObject({ state: 'open', frozen_since: null });
});
