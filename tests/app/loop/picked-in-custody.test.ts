import { beforeEach, expect, test } from 'vitest';
import { loader as assignLoader } from '#app/routes/items/assign.ts';
import { loader as returnLoader } from '#app/routes/items/return.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { listTransfers, withAll } from '#domain/transfer/list-transfers.ts';
import { addBot, addRule, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { visitorOf } from '../support/signed-in.ts';
import { type Reader, readerOf, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

const [caseKey, gloveKey] = ['Demo case', 'Demo glove'].map((marketHashName) =>
  kindKey({ appId: 730, marketHashName }),
);
const ticked = `item=${caseKey}&item=${gloveKey}`;

let db: Database;
let owner: Person;
let reader: Reader;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  owner = await addStreamer(db);
  reader = await readerOf(owner.userId);
  const assets = [asset(), asset(), asset('Demo glove'), asset('Demo knife')];
  await deposit(db, owner, assets, Date.now() - 8 * day);
});

/** The hidden fields of a page's own form. */
const fieldsIn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name as string,
      value as string,
    ]),
  );

test('Kinds in custody are ticked for one form, which offers the open rules', async () => {
  const openId = await addRule(db, owner, { name: 'Evening', rewards: 0 });
  const closedId = await addRule(db, owner, { name: 'Morning', rewards: 0 });
  await closeRule(db, { ruleId: closedId, userId: owner.userId }, Date.now());
  const { html } = await reader.open('/items/custody');
  expect(html).toMatch(new RegExp(`<input type="checkbox" form="bulk" [^>]*value="${caseKey}"`));
  expect(html).toContain(`<option value="${openId}"`);
  expect(html).not.toContain(closedId);
});

test('Without scripts the bar does not count what is ticked, and says that it takes all pieces', async () => {
  const words = wordsOf((await reader.open('/items/custody')).html);
  expect(words).not.toContain('Nothing picked yet');
  expect(words).toContain('Every available item of each ticked kind');
});

test('Boxes of one name are told apart by exterior and traits, and the rule is named as one', async () => {
  await addRule(db, owner, { rewards: 0 });
  const facts = { exterior: 'Field-Tested', traits: 'Name Tag: ‘Demo’\nSticker: Demo Star' };
  await deposit(db, owner, [asset('Demo knife', facts)], Date.now() - 8 * day);
  const { html } = await reader.open('/items/custody');
  const labels = [
    ...html.matchAll(/<input type="checkbox" form="bulk" [^>]*aria-label="(Demo knife[^"]*)"/g),
  ];
  expect(new Set(labels.map(([, label]) => label)).size).toBe(2);
  expect(labels.map(([, label]) => label)).toContainEqual(
    expect.stringMatching(/^Demo knife · Field-Tested · .*Name Tag: ‘Demo’ · Demo Star$/),
  );
  expect(html).toMatch(/<select [^>]*name="rule" aria-label="Rule"/);
});

test('All pieces of the ticked kinds are returned, once', async () => {
  const asked = await reader.open(`/items/return?whole=1&${ticked}`);
  expect(wordsOf(asked.html)).toContain('Return 3 items');
  const { html } = await reader.open(`/items/return?whole=1&item=${caseKey}`);
  const form = { ...fieldsIn(html), requestId: newId(Date.now()) };
  for (let time = 0; time < 2; time++) await reader.open('/items/return', form);
  const { rows } = await listTransfers(db, { userId: owner.userId });
  const returned = (await withAll(db, rows)).filter(({ kind }) => kind === 'return');
  expect(returned.map(({ items }) => items.map(({ quantity }) => quantity))).toEqual([[2]]);
});

test('The ticked kinds lead to the page that adds them to the chosen rule, with all their pieces', async () => {
  const ruleId = await addRule(db, owner, { rewards: 0 });
  const page = await reader.open(`/items/assign?whole=1&rule=${ruleId}&${ticked}`);
  expect(page.path).toMatch(new RegExp(`^/rules/${ruleId}/rewards/add`));
  expect(wordsOf(page.html)).toMatch(/Add 3 items of 2 kinds/);
  const rule = await getRule(db, { ruleId, ownerId: owner.userId });
  expect(await listRuleRewards(db, rule as NonNullable<typeof rule>)).toEqual([]);
});

test('Another one’s rule is not found', async () => {
  const foreign = await addRule(db, await addStreamer(db), { rewards: 0 });
  expect((await reader.open(`/items/assign?whole=1&rule=${foreign}&${ticked}`)).status).toBe(404);
});

const loaders = [
  ['/items/return', returnLoader],
  ['/items/assign', assignLoader],
] as const;

test.each(loaders)(
  'Without a tick, %s leads back to the list as it was, and says why',
  async (path, loader) => {
    const ruleId = await addRule(db, owner, { rewards: 0 });
    const visitor = await visitorOf(owner.userId);
    const answerFrom = (from?: string) =>
      visitor.call(loader, `${path}?whole=1&rule=${ruleId}`, { headers: from ? { Referer: from } : {} });
    const list = '/items/custody?q=Demo&state=available&after=x';
    for (const [from, location] of [
      [`http://localhost:3000${list}`, list],
      ['http://localhost:3000/items?q=Demo', '/items/custody'],
      ['no address', '/items/custody'],
      [undefined, '/items/custody'],
    ] as const)
      expect(await answerFrom(from)).toMatchObject({ location, toast: 'errors.trade.nothingPicked' });
    expect(wordsOf((await reader.open(`${path}?whole=1&rule=${ruleId}`)).html)).toContain(
      'Pick at least one item.',
    );
  },
);

test.each(loaders)('%s refuses what no page of ours sends', async (path, loader) => {
  const ruleId = await addRule(db, owner, { rewards: 0 });
  const visitor = await visitorOf(owner.userId);
  const tooMany = Array.from({ length: 1_001 }, (_, n) => `item=730-${String(n).padStart(12, 'A')}`);
  for (const items of ["item=730-'; drop table", tooMany.join('&')])
    expect(await visitor.call(loader, `${path}?whole=1&rule=${ruleId}&${items}`)).toMatchObject({
      status: 400,
    });
});
