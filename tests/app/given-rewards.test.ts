import { eq } from 'drizzle-orm';
import { beforeAll, expect, test } from 'vitest';
import { loader as exportLoader } from '#app/routes/given-rewards/export.ts';
import { loader as givenLoader } from '#app/routes/given-rewards/given-rewards.tsx';
import { loader as transfersLoader } from '#app/routes/transfers/transfers.tsx';
import { database } from '#app/services/database.server.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { addBot, addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { visitorOf } from './support/signed-in.ts';
import type { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();

let visitor: Visitor;
let viewer: Person;
let ruleIds: string[];
let transferIds: string[];
/** More than a page of transfers. */
const CLAIMS = 22;
beforeAll(async () => {
  const db = await database();
  await addBot(db);
  const streamer = await addStreamer(db);
  viewer = await addPerson(db);
  visitor = await visitorOf(streamer.userId);
  ruleIds = [];
  transferIds = [];
  for (let number = 1; number <= CLAIMS; number++) {
    const nowMs = Date.UTC(2026, 5, number, 12);
    const { ruleId, rewards } = await promiseTo(db, streamer, [viewer], { name: `=Rule ${number}`, nowMs });
    await claimReward(db, { rewardId: rewards[0]!.id, userId: viewer.userId }, nowMs);
    const [transfer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewards[0]!.id));
    ruleIds.push(ruleId);
    transferIds.push(transfer!.id);
  }
});

const read = async (query = '') => (await visitor.call(givenLoader, `/rules/who-got-what${query}`)).body;
const download = (query: string) => visitor.call(exportLoader, `/rules/who-got-what/export${query}`);

test.each([
  ['', 20],
  ['?status=promised', 0],
  ['?status=final', 0],
  ['?q=rule 22', 1],
  ['?from=2026-06-03T10:00&to=2026-06-05T12:00', 3],
  ['?to=2026-06-02', 2],
  ['?rule=nothing&from=1899-01-01', 20],
])('Who got what filtered by "%s" has %i rows', async (query, amount) => {
  expect((await read(query)).page.rows).toHaveLength(amount);
});

test('One rule can be chosen by name', async () => {
  const { page } = await read(`?rule=${ruleIds[0]}`);
  expect(page.rows).toMatchObject([{ ruleName: '=Rule 1' }]);
  expect(page.rules).toHaveLength(CLAIMS);
});

test('A row that is open says how its viewer came to the reward', async () => {
  const [row] = (await read()).page.rows;
  const { page } = await read(`?open=${row.id}`);
  expect(page.opened).toMatchObject({ id: row.id, qualifiedAtMs: row.promisedAtMs });
  expect((await read('?open=nothing')).page.opened).toBeNull();
});

test('Each row leads to its transfer, however far back that lies', async () => {
  const oldest = transferIds[0]!;
  const { page } = await read(`?rule=${ruleIds[0]}`);
  expect(page.rows[0].transferId).toBe(oldest);
  const { body } = await visitor.call(transfersLoader, `/transfers?open=${oldest}`);
  expect(body.page).toMatchObject({ opened: { id: oldest }, asked: true });
  expect(body.page.rows.map(({ id }: { id: string }) => id)).toContain(oldest);
});

test('The export holds what the filters show, and no formula', async () => {
  const csv = await download('?format=csv&q=rule 22');
  expect(csv.headers.get('Content-Disposition')).toBe('attachment; filename="who-got-what.csv"');
  const [head, row, end] = csv.text.replace(/^\uFEFF/, '').split('\r\n');
  expect(head).toContain('"viewer","item","rule","status","promised_at"');
  expect(row).toContain(`"'=Rule 22","claimed","2026-06-22T12:00:00.000Z"`);
  expect(end).toBe('');
  expect(JSON.parse((await download('?format=json')).text)).toHaveLength(CLAIMS);
  expect((await download('?format=xls')).status).toBe(404);
});
