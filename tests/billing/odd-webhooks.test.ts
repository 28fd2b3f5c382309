import fc from 'fast-check';
import Stripe from 'stripe';
import { expect, test } from 'vitest';
import { handleEvents } from '#billing/handle-events.ts';
import { receiveWebhook } from '#billing/receive-webhook.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { billing, db, setBillingStage } from './stage.ts';

setBillingStage();

const send = async (body: string) => {
  const secret = billing.settings.webhookSecret ?? '';
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret, timestamp });
  return receiveWebhook(billing, { body, signature });
};
const stored = () => db.read.select().from(stripeEvents);

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

test.each([
  ['blank', ' '],
  ['no JSON', '{"id":'],
  ['null', 'null'],
  ['a number', '7'],
  ['a text', '"evt_1"'],
  ['a list', '[{"id":"evt_1","type":"invoice.paid"}]'],
  ['a list in lists', nested(100_000)],
  ['no id', '{"type":"invoice.paid","data":{"object":{}}}'],
  ['no type', '{"id":"evt_1","data":{"object":{}}}'],
  ['an id that is a number', '{"id":1,"type":"invoice.paid"}'],
  ['an empty id', '{"id":"","type":"invoice.paid"}'],
  ['an id with a zero byte', '{"id":"evt_\\u0000","type":"invoice.paid"}'],
  ['a type with a zero byte', '{"id":"evt_1","type":"invoice.\\u0000"}'],
  ['an id with half a character', '{"id":"evt_\\ud800","type":"invoice.paid"}'],
  ['an id without end', `{"id":"${'e'.repeat(256)}","type":"invoice.paid"}`],
  ['a prototype', '{"__proto__":{"id":"evt_1","type":"invoice.paid"}}'],
])('A signed webhook that is %s is refused, and nothing is stored', async (_, body) => {
  expect(await send(body)).toEqual({ ok: false, code: 'unreadable' });
  expect(await stored()).toEqual([]);
});

const event = (data: string) => `{"id":"evt_odd","type":"invoice.paid","data":${data}}`;

test.each([
  ['null', 'null', null, null],
  ['a number', '7', null, null],
  ['an object that is null', '{"object":null}', null, null],
  ['an object that is a text', '{"object":"in_1"}', null, null],
  ['a customer that is a number', '{"object":{"id":"in_1","customer":7}}', null, 'in_1'],
  ['a customer that is null', '{"object":{"id":"in_1","customer":null}}', null, 'in_1'],
  ['a customer with a zero byte', '{"object":{"id":"in_1","customer":"cus_\\u0000"}}', null, 'in_1'],
  ['an id with a zero byte', '{"object":{"id":"in_\\u0000","customer":"cus_1"}}', 'cus_1', null],
  ['a customer that is expanded', '{"object":{"id":"in_1","customer":{"id":"cus_1"}}}', 'cus_1', 'in_1'],
  ['two customers', '{"object":{"id":"in_1","customer":"cus_0","customer":"cus_1"}}', 'cus_1', 'in_1'],
  ['lists in lists', `{"object":{"id":"in_1","customer":"cus_1","of":${nested(50_000)}}}`, 'cus_1', 'in_1'],
])(
  'An event about %s is stored with what can be read, and handled',
  async (_, data, customerId, objectId) => {
    expect(await send(event(data))).toEqual({ ok: true, isNew: true });
    expect(await stored()).toMatchObject([{ id: 'evt_odd', type: 'invoice.paid', customerId, objectId }]);
    expect(await handleEvents(billing, new AbortController().signal)).toBe(1);
  },
);

test('An odd webhook does not fail those that are stored with it', async () => {
  const good = ['evt_a', 'evt_b'].map((id) => JSON.stringify({ id, type: 'invoice.paid' }));
  const outcomes = await Promise.all(
    [good[0], '{"id":"evt_\\u0000","type":"x"}', good[1]].map((body) => send(body ?? '')),
  );
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect((await stored()).map(({ id }) => id).toSorted()).toEqual(['evt_a', 'evt_b']);
});

test('Whatever JSON is signed is stored or refused', async () => {
  const value = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });
  const odd = fc.oneof(
    value,
    fc.record({ id: value, type: value, data: value }, { requiredKeys: [] }),
    fc.record({
      id: fc.string({ unit: 'binary', minLength: 1 }),
      type: fc.string({ unit: 'binary', minLength: 1 }),
      data: fc.record({ object: fc.record({ id: value, customer: value, object: value }) }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(odd, async (body) => {
      const outcome = await send(JSON.stringify(body));
      if (!outcome.ok) expect(outcome.code).toBe('unreadable');
    }),
    { numRuns: 60 },
  );
});
