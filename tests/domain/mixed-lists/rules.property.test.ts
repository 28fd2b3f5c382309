import { and, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { test } from 'vitest';
import { kindWeights, poolChanges } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, asset, deposit, draft, START_MS } from '#tests/support/fixtures.ts';
import { actsOnEachAlike, codeOf } from '#tests/support/mixed-list.ts';
import { promiseTo } from '#tests/support/promises.ts';

interface Kind {
  appId: number;
  /** Items of the kind on the rule before the act, and others in custody. */
  attached: number;
  free: number;
  /** The weight of the kind before the act; its first if omitted. */
  weightBefore?: number;
}

const kind = { appId: fc.constantFrom(730, 440), attached: fc.integer({ min: 0, max: 2 }) };
const nameAt = (place: number): string => `Demo kind ${place}`;

/**
 * A streamer's random rule that has drawn once, so that its proof tells of changes, with items of each kind on it, and
 * others beside it.
 */
async function stock(store: TestDatabase, elements: readonly Kind[]) {
  const streamer = await addStreamer(store);
  await addBot(store);
  const assets = elements.flatMap(({ appId, attached, free }, place) =>
    Array.from({ length: attached + free }, () => asset(nameAt(place), { appId })),
  );
  if (assets.length > 0) await deposit(store, streamer, assets, START_MS - 9 * day);
  const { ruleId } = await promiseTo(store, streamer, [await addPerson(store)], { type: 'random' });
  const world = { ruleId, userId: streamer.userId };
  for (const [place, { appId, attached: quantity, weightBefore }] of elements.entries()) {
    const kinds = [{ appId, marketHashName: nameAt(place), quantity, weight: weightBefore }];
    if (quantity > 0) await attachRewards(store, { ...world, kinds }, START_MS);
  }
  return world;
}

/** The rewards of a kind on the streamer's rules, its weight, and what the proof says of it. */
async function readKind(store: TestDatabase, { userId }: { userId: string }, place: number) {
  const named = eq(kindWeights.kindName, nameAt(place));
  const rows = await store.read
    .select({ state: rewards.state, ruleId: rewards.ruleId })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ownerId, userId), eq(items.marketHashName, nameAt(place))));
  const [ruleId] = rows.map((row) => row.ruleId);
  const ofRule = (column: typeof kindWeights.ruleId | typeof poolChanges.ruleId) => eq(column, ruleId ?? '');
  const weights = await store.read
    .select({ appId: kindWeights.appId, weight: kindWeights.weight })
    .from(kindWeights)
    .where(and(ofRule(kindWeights.ruleId), named));
  const changes = await store.read
    .select()
    .from(poolChanges)
    .where(and(ofRule(poolChanges.ruleId), eq(poolChanges.kindName, nameAt(place))));
  const facts = changes.map(({ appId, cause, added, weightBefore, weight: after }) =>
    [appId, cause, added, weightBefore, after].join(' '),
  );
  return { states: rows.map(({ state }) => state).sort(), weights, changes: facts.sort() };
}

const amount = fc.constantFrom(1, 1, 1, 2);
const weight = fc.constantFrom(undefined, 2, 3, 5, 8);

test('Rewards of several kinds are attached each with its number and weight, or none', () =>
  actsOnEachAlike({
    element: fc.record({ ...kind, free: fc.constantFrom(1, 2, 2, 3), quantity: amount, weight }),
    prepare: async (store, elements) => ({ ...(await stock(store, elements)), elements }),
    async act(store, { elements, ...rule }) {
      const kinds = elements.map(({ appId, quantity, weight: asked }, place) => ({
        appId,
        marketHashName: nameAt(place),
        quantity,
        ...(asked !== undefined && { weight: asked }),
      }));
      return codeOf(await attachRewards(store, { ...rule, kinds }, START_MS));
    },
    look: (store, world, place) => readKind(store, world, place),
  }));

test('A rule begins with each kind that it was created with, or is not created', () =>
  actsOnEachAlike({
    element: fc.record({
      ...kind,
      attached: fc.constant(0),
      free: fc.constantFrom(1, 2, 2, 3),
      quantity: amount,
      weight,
    }),
    prepare: async (store, elements) => ({ ...(await stock(store, elements)), elements }),
    async act(store, { elements, userId }) {
      const kinds = elements.map(({ appId, quantity, weight: asked }, place) => ({
        appId,
        marketHashName: nameAt(place),
        quantity,
        ...(asked !== undefined && { weight: asked }),
      }));
      const request = {
        requestId: newId(START_MS),
        userId,
        channelId: null,
        draft: draft({ type: 'random' }),
      };
      return codeOf(await createRule(store, { ...request, kinds }, START_MS));
    },
    look: (store, world, place) => readKind(store, world, place),
  }));

test('Rewards of several kinds are removed each by its number, or none', () =>
  actsOnEachAlike({
    element: fc.record({
      ...kind,
      attached: fc.constantFrom(1, 2, 2, 3),
      free: fc.constantFrom(0, 1),
      quantity: amount,
    }),
    prepare: async (store, elements) => ({ ...(await stock(store, elements)), elements }),
    async act(store, { elements, ...rule }) {
      const kinds = elements.map(({ appId, quantity }, place) => ({
        appId,
        marketHashName: nameAt(place),
        quantity,
      }));
      return codeOf(await detachRewards(store, { ...rule, kinds }, START_MS));
    },
    look: (store, world, place) => readKind(store, world, place),
  }));

test('Weights are set each as given, or none', () =>
  actsOnEachAlike({
    element: fc.record({
      ...kind,
      attached: fc.constantFrom(0, 1, 1, 1, 1, 1, 2, 2),
      free: fc.constant(0),
      weight: fc.constantFrom(0, 1, 1, 1, 1, 2, 3, 5, 8),
      weightBefore: fc.constantFrom(1, 2, 3),
    }),
    telling: [
      [2, 0],
      [0, 2],
    ].map((weights) =>
      weights.map((each) => ({ appId: 730, attached: 1, free: 0, weight: each, weightBefore: 1 })),
    ),
    prepare: async (store, elements) => ({ ...(await stock(store, elements)), elements }),
    async act(store, { elements, ...rule }) {
      const weights = elements.map(({ appId, weight: asked }, place) => ({
        appId,
        marketHashName: nameAt(place),
        weight: asked,
      }));
      return codeOf(await setKindWeights(store, { ...rule, weights }, START_MS));
    },
    look: (store, world, place) => readKind(store, world, place),
  }));
