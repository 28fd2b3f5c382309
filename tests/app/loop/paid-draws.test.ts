import { expect, test } from 'vitest';
import { action, loader } from '#app/routes/rules/new-rule.tsx';
import { database } from '#app/services/database.server.ts';
import { newId } from '#domain/kernel/id.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import { addStreamer } from '#tests/support/fixtures.ts';
import { visitorOf } from '../support/signed-in.ts';
import { readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

await setWeb({ PAID_DRAWS: 'allow' });

test('Where the operator allows paid draws, the form warns of one instead of refusing it', async () => {
  const streamer = await addStreamer(await database());
  const reader = await readerOf(streamer.userId);
  expect(wordsOf((await reader.open('/rules/new')).html)).not.toContain('Paid chances');
  const paid = { name: '', type: 'random', points: 'on', pointsCost: '500', claimTimeoutHours: '72' };
  const words = wordsOf((await reader.open('/rules/new', paid)).html);
  expect(words).toContain('Paid chances');
  expect(words).not.toContain('Nobody may pay');
});

test('Where the operator allows it, a random reward may require a subscription', async () => {
  const db = await database();
  const streamer = await addStreamer(db);
  const visitor = await visitorOf(streamer.userId);
  expect((await visitor.call(loader, '/rules/new')).body.places.paidDraws).toBe(true);
  const form = {
    requestId: newId(Date.now()),
    name: 'For subscribers',
    type: 'random',
    subscriber: 'on',
    subscriberTier: '1',
    claimTimeoutHours: '72',
    confirmed: '1',
  };
  await visitor.call(action, '/rules/new', { form });
  const { rows } = await listRules(db, { ownerId: streamer.userId });
  expect(rows).toMatchObject([{ type: 'random', subscriberTier: 1 }]);
});
