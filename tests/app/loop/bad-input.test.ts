import { afterAll, beforeEach, expect, test } from 'vitest';
import { knownIds } from '#app/middleware/guards.server.ts';
import { action as depositAction } from '#app/routes/items/deposit.tsx';
import { action as returnAction } from '#app/routes/items/return.tsx';
import { action as claimAction, loader as claimLoader } from '#app/routes/progress/claim.tsx';
import { loader as progressLoader } from '#app/routes/progress/progress.tsx';
import { action as addAction } from '#app/routes/rules/add-rewards.tsx';
import { action as createAction } from '#app/routes/rules/new-rule.tsx';
import { action as removeAction } from '#app/routes/rules/remove-rewards.tsx';
import { loader as ruleLoader } from '#app/routes/rules/rule.tsx';
import { action as cancelAction } from '#app/routes/transfers/cancel-transfer.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { events } from '#db/schema/outbox.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { getTransfer, listTransfers } from '#domain/transfer/list-transfers.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
} from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let db: Database;
let streamer: Person;
let visitor: Visitor;
let ruleId: string;
const caseKey = kindKey({ appId: 730, marketHashName: 'Demo case' });
const oneCase = { item: caseKey, [`item:${caseKey}`]: '1' };

beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  ruleId = await addRule(db, streamer, { rewards: 1, nowMs: Date.now() });
  await deposit(db, streamer, [asset(), asset()], Date.now() - 8 * day);
  bot.inventories.set(streamer.steamId, [{ ...asset(), tradable: true }]);
});

const newRule = {
  name: 'Ten hours together',
  watch: 'on',
  watchAmount: '10',
  watchUnit: 'hours',
  watchScope: 'sinceRule',
  claimTimeoutHours: '72',
  confirmed: '1',
};

/** Every action whose form brings the id of the thing it creates. */
const acts = {
  deposit: (requestId: string, who = visitor) =>
    who.call(depositAction, '/items/deposit', { form: { requestId, ...oneCase } }),
  return: (requestId: string, who = visitor) =>
    who.call(returnAction, '/items/return', { form: { requestId, ...oneCase } }),
  add: (requestId: string, who = visitor) =>
    who.call(addAction, `/rules/${ruleId}/rewards/add`, {
      params: { id: ruleId },
      form: { requestId, ...oneCase },
    }),
  remove: (requestId: string, who = visitor) =>
    who.call(removeAction, `/rules/${ruleId}/rewards/remove`, {
      params: { id: ruleId },
      form: { requestId, ...oneCase },
    }),
  create: (requestId: string, who = visitor) =>
    who.call(createAction, '/rules/new', { form: { requestId, ...newRule } }),
};
type Act = keyof typeof acts;

const written = async () => ({
  events: await db.read.$count(events),
  transfers: await db.read.$count(transfers),
  rules: await db.read.$count(rules),
  free: (await getRule(db, { ruleId, ownerId: streamer.userId }))?.pool.free,
});

const badIds: [string, () => string][] = [
  ['nothing', () => ''],
  ['a path', () => '../../x'],
  ['an id with a zero', () => `${newId(Date.now()).slice(0, -1)}\0`],
  ['an id in capitals', () => newId(Date.now()).toUpperCase()],
  ['an id of another kind', () => crypto.randomUUID()],
  ['the last id of all', () => 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['an id of the next hour', () => newId(Date.now() + hour)],
];

test.each(
  (Object.keys(acts) as Act[]).flatMap((act) => badIds.map(([what, make]) => [act, what, make] as const)),
)('To %s with %s as the request id is answered with 400 and writes nothing', async (act, _, make) => {
  const before = await written();
  const answer = await acts[act](make());
  expect(answer.status).toBe(400);
  expect(JSON.stringify(answer.body)).toContain('errors.trade.malformed');
  expect(await written()).toEqual(before);
});

test.each(Object.keys(acts) as Act[])('To %s eight times at once happens once', async (act) => {
  const before = await written();
  const requestId = newId(Date.now());
  const answers = await Promise.all(Array.from({ length: 8 }, () => acts[act](requestId)));
  expect(new Set(answers.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(302);
  const after = await written();
  const moved = after.transfers - before.transfers + (after.rules - before.rules);
  expect(moved + Math.abs((after.free ?? 0) - (before.free ?? 0))).toBe(1);
});

test("Somebody else's rule is neither created again nor returned as one's own", async () => {
  const other = await addStreamer(db);
  const before = await written();
  const answer = await acts.create(ruleId, await visitorOf(other.userId));
  expect(answer.status).toBe(400);
  expect(answer.body.result.error).toMatchObject({ '': ['errors.trade.malformed'] });
  expect(await written()).toEqual(before);
});

test.each(['x', '\0', '%00', 'constructor', `${'0'.repeat(400)}`, "' or 1=1 --"])(
  'A URL with the id %j is not found, without a query',
  async (id) => {
    const sent = { params: { id }, guard: knownIds };
    expect((await visitor.call(ruleLoader, '/rules/x', sent)).status).toBe(404);
    expect((await visitor.call(claimLoader, '/rewards/x/claim', sent)).status).toBe(404);
  },
);

test('Claiming in many tabs at once, and cancelling in as many, creates one offer and ends it once', async () => {
  const viewer = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, Date.now());
  const other = await visitorOf(viewer.userId);
  const { body } = await other.call(progressLoader, '/rewardProgress');
  const id: string = body.found.ready[0].id;
  const tabs = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, act));
  const sent = { params: { id }, form: {} };
  const claims = await tabs(() => other.call(claimAction, `/rewards/${id}/claim`, sent));
  expect(new Set(claims.map(({ status }) => status))).toEqual(new Set([302]));
  const { rows } = await listTransfers(db, { userId: viewer.userId });
  expect(rows).toHaveLength(1);
  const transfer = { params: { id: rows[0]?.id ?? '' }, form: {} };
  const cancels = await tabs(() => other.call(cancelAction, '/transfers/x/cancel', transfer));
  expect(new Set(cancels.map(({ status }) => status))).toEqual(new Set([302]));
  const ended = await getTransfer(db, { transferId: transfer.params.id, userId: viewer.userId });
  expect(ended?.steps.filter(({ event }) => event === 'withdrawn')).toHaveLength(1);
});

test('A form rendered before its rule was closed changes nothing, and says why', async () => {
  await closeRule(db, { ruleId, userId: streamer.userId }, Date.now());
  const before = await written();
  const answer = await acts.add(newId(Date.now()));
  expect(answer).toMatchObject({ status: 409, body: { error: 'errors.rule.closed' } });
  expect(await written()).toEqual(before);
});

test('A bot that rejects our secret is reported as Steam being unavailable, and nothing is written', async () => {
  const before = await written();
  bot.trouble = { status: 401, code: 'secretWrong' };
  const answer = await acts.deposit(newId(Date.now()));
  bot.trouble = null;
  expect(answer).toMatchObject({ status: 503, body: { error: 'errors.unavailable.steam' } });
  expect(await written()).toEqual(before);
});
