import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { day } from '#domain/kernel/time.ts';
import { alarmOperator } from '#domain/outbox/alarm-operator.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

test('The operator gets one mail a day about the same thing, also if two processes notice it at once', async () => {
  const alarm = (what: string, nowMs: number) =>
    alarmOperator(
      db,
      {
        key: what,
        mail: {
          recipient: 'operator@example.org',
          locale: 'en',
          template: 'stripeRefused',
          values: { what, why: 'it may not' },
        },
      },
      nowMs,
    );
  const asked = await Promise.all([alarm('a', START_MS), alarm('a', START_MS), alarm('b', START_MS)]);
  expect(asked.filter(Boolean)).toHaveLength(2);
  expect(await alarm('a', START_MS + day)).toBe(false);
  expect(await alarm('a', START_MS + day + 1)).toBe(true);
  expect(await db.read.select().from(mails)).toHaveLength(3);
});
