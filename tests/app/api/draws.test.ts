import './support/web.ts';
import { beforeEach, expect, test } from 'vitest';
import { kindKey } from '#app/services/items/picks.server.ts';
import { day } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addBot, addPerson, addRule, asset, deposit } from '#tests/support/fixtures.ts';
import { addRandomRule, seedOf } from '#tests/support/random-rule.ts';
import { watchFor } from '#tests/support/watching.ts';
import { App } from './support/app.ts';
import { type Signed, streamer } from './support/people.ts';

const api = '/api/v1';
const kindOf = (marketHashName: string) => kindKey({ appId: 730, marketHashName });
let owner: Signed;
let ruleId: string;

beforeEach(async () => {
  owner = await streamer();
  await addBot(owner.db);
  const pool = { 'Demo case': 3, 'Demo knife': 3 };
  ruleId = await addRandomRule(owner.db, owner, pool, { nowMs: Date.now() });
  const viewers = await Promise.all(Array.from({ length: 3 }, () => addPerson(owner.db)));
  await watchFor(
    owner.db,
    owner.twitchId,
    viewers.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(owner.db, owner.twitchId, Date.now());
});

test('Anybody can read a rule’s draws page by page, and what is published of its seed', async () => {
  const stranger = new App();
  const proof = await stranger.get(`${api}/proofs/${ruleId}`);
  const { commitment, fingerprint } = proof.body.data.attributes;
  expect(proof.body.data.attributes).toMatchObject({ seed: null, state: 'open', draws: 3 });
  const first = await stranger.get(`${api}/proofs/${ruleId}/draws?page[size]=2`);
  expect(first.body.data.map(({ id }: { id: string }) => id)).toEqual([`${ruleId}:1`, `${ruleId}:2`]);
  expect(first.body.data[0].attributes).toMatchObject({ number: 1, agrees: true });
  expect(first.body.data[0].attributes.candidates).toMatchObject([
    { kind_id: kindOf('Demo case'), kind_name: 'Demo case', weight: 1, chance: 0.5 },
    { kind_id: kindOf('Demo knife'), kind_name: 'Demo knife', weight: 1, chance: 0.5 },
  ]);
  const second = await stranger.get(first.body.links.next);
  expect(second.body.data).toMatchObject([{ attributes: { number: 3, fingerprint } }]);
  const [one, two] = first.body.data.map(({ attributes }: { attributes: object }) => attributes);
  expect([one.previous_fingerprint, two.previous_fingerprint]).toEqual([commitment, one.fingerprint]);
});

test('A rule without draws has no proof', async () => {
  const one = await addRule(owner.db, owner, { rewards: 0, nowMs: Date.now() });
  for (const path of [`/proofs/${one}`, `/proofs/${one}/draws`])
    expect((await new App().get(`${api}${path}`)).status).toBe(404);
});

test('A random reward for channel points or a subscription is refused', async () => {
  const open = (attributes: object) =>
    owner.app.post(`${api}/rules`, {
      json: { name: 'Demo rule', rule_type: 'random', watch_minutes: 60, ...attributes },
    });
  expect((await open({ points_cost: 500 })).codes).toEqual(['paidDraw']);
  expect((await open({ subscriber_tier: 1 })).codes).toEqual(['paidDraw']);
  expect((await open({})).status).toBe(201);
});

test('Rewards may be added with weights for their kinds', async () => {
  await deposit(owner.db, owner, [asset('Demo mug')], Date.now() - 8 * day);
  const add = (weight: number) =>
    owner.app.post(`${api}/rules/${ruleId}/rewards`, {
      json: { items: [{ kind_id: kindOf('Demo mug'), quantity: 1, weight }] },
    });
  expect((await add(0)).status).toBe(422);
  expect((await add(4)).status).toBe(200);
  const { body } = await owner.app.get(`${api}/rules/${ruleId}/rewards`);
  expect(body.data.at(-1).attributes).toMatchObject({ name: 'Demo mug', weight: 4 });
});

test('The owner sets weights until the rule is closed and its seed is revealed', async () => {
  const weigh = (app: App, weight: number) =>
    app.patch(`${api}/rules/${ruleId}/rewards`, {
      json: { weights: [{ kind_id: kindOf('Demo knife'), weight }] },
    });
  const weighed = await weigh(owner.app, 7);
  const weights = weighed.body.data.map(
    ({ attributes }: { attributes: { weight: number } }) => attributes.weight,
  );
  expect(weights).toEqual([1, 7]);
  expect((await weigh(owner.app, 0)).status).toBe(422);
  expect((await weigh((await streamer()).app, 7)).status).toBe(404);
  await closeRule(owner.db, { ruleId, userId: owner.userId }, Date.now());
  expect((await weigh(owner.app, 9)).codes).toEqual(['ruleClosed']);
  const { body } = await new App().get(`${api}/proofs/${ruleId}`);
  expect(body.data.attributes.seed).toBe(await seedOf(owner.db, ruleId));
});
