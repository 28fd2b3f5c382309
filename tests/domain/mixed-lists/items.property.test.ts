import { and, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { test } from 'vitest';
import type { Asset } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { returnKinds } from '#domain/transfer/return-kinds.ts';
import type { TestDatabase } from '#tests/support/database.ts';
import {
  addBot,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { ledgerOf } from '#tests/support/looking.ts';
import { actsOnEachAlike, codeOf } from '#tests/support/mixed-list.ts';

const game = fc.constantFrom(730, 440);
const contexts = fc.constantFrom('2', '16');
const days = fc.option(fc.integer({ min: 1, max: 12 }));
const nameAt = (place: number): string => `Demo piece ${place}`;
const untilOf = (protectedDays: number | null) =>
  protectedDays === null ? {} : { protectedUntilMs: START_MS + protectedDays * day };

interface Holding {
  streamer: Person;
  assets: Asset[];
  itemIds: string[];
}

/** A streamer with one unlocked item for each element, in the order of the elements. */
async function hold(
  store: TestDatabase,
  elements: readonly { appId: number }[],
  nowMs = START_MS - 9 * day,
): Promise<Holding> {
  const streamer = await addStreamer(store);
  await addBot(store);
  const assets = elements.map(({ appId }, place) =>
    asset(nameAt(place), { appId, classId: String(100 + place) }),
  );
  await deposit(store, streamer, assets, nowMs);
  const rows = await store.read.select().from(items).where(eq(items.ownerId, streamer.userId));
  const idOf = (name: string) => rows.find((row) => row.marketHashName === name)!.id;
  return { streamer, assets, itemIds: assets.map(({ marketHashName }) => idOf(marketHashName)) };
}

/** Facts of an item, and of the offer that it is in. */
async function readItem(store: TestDatabase, itemId: string) {
  const [item] = await store.read.select().from(items).where(eq(items.id, itemId));
  const [offer] = await store.read
    .select({ kind: transfers.kind, state: transfers.state, botId: transfers.botId })
    .from(transferItems)
    .innerJoin(transfers, eq(transfers.id, transferItems.transferId))
    .where(and(eq(transferItems.itemId, itemId), eq(transferItems.open, true)));
  const causes = (await ledgerOf(store, itemId)).map(({ toHolder, cause }) => [
    toHolder.split(':')[0],
    cause,
  ]);
  const { state, contextId, lockedUntilMs, traits } = item!;
  const isThere = offer ? offer.botId === item!.botId : null;
  return { state, contextId, lockedUntilMs, traits, causes, offer: offer?.state, kind: offer?.kind, isThere };
}

const setItem = (store: TestDatabase, id: string, facts: Partial<typeof items.$inferInsert>) =>
  store.transaction((tx) => tx.update(items).set(facts).where(eq(items.id, id)));

const usual = <T>(value: T, ...others: T[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, ...others.map(fc.constant));

test('A return takes each item alike, or none of them', () =>
  actsOnEachAlike({
    element: fc.record({
      appId: game,
      atOtherBot: fc.boolean(),
      is: usual<'free' | 'locked' | 'missing' | 'from elsewhere' | 'assigned'>(
        'free',
        'locked',
        'missing',
        'from elsewhere',
        'assigned',
      ),
    }),
    telling: [['free', 'from elsewhere'] as const, ['from elsewhere', 'free'] as const].map((all) =>
      all.map((is) => ({ appId: 730 as const, atOtherBot: false, is })),
    ),
    async prepare(store, elements) {
      const held = await hold(store, elements);
      const otherBot = await addBot(store);
      for (const [place, { atOtherBot, is }] of elements.entries()) {
        const id = held.itemIds[place]!;
        if (atOtherBot) await setItem(store, id, { botId: otherBot });
        if (is === 'locked') await setItem(store, id, { lockedUntilMs: START_MS + 1 });
        if (is === 'missing') await setItem(store, id, { state: 'missing' });
        if (is === 'from elsewhere') await setItem(store, id, { depositorSteamId: '76561197960265799' });
        if (is !== 'assigned') continue;
        const ruleId = await addRule(store, held.streamer, { rewards: 0 });
        const { appId, marketHashName } = held.assets[place]!;
        const kinds = [{ appId, marketHashName, quantity: 1 }];
        await attachRewards(store, { ruleId, userId: held.streamer.userId, kinds }, START_MS);
      }
      return held;
    },
    act: async (store, { streamer: { userId }, itemIds }) =>
      codeOf(await returnItems(store, { requestId: newId(START_MS), userId, itemIds }, START_MS)),
    look: (store, { itemIds }, place) => readItem(store, itemIds[place]!),
  }));

test('A return by kinds takes of each kind what was asked, or nothing of any', () =>
  actsOnEachAlike({
    element: fc
      .record({ appId: game, has: fc.integer({ min: 1, max: 3 }), lacks: usual(0, 1) })
      .map(({ has, lacks, ...each }) => ({ ...each, has, quantity: has + lacks - (has > 1 ? 1 : 0) })),
    async prepare(store, elements) {
      const streamer = await addStreamer(store);
      await addBot(store);
      const assets = elements.flatMap(({ appId, has }, place) =>
        Array.from({ length: has }, () => asset(nameAt(place), { appId })),
      );
      await deposit(store, streamer, assets, START_MS - 9 * day);
      const kinds = elements.map(({ appId, quantity }, place) => ({
        appId,
        marketHashName: nameAt(place),
        quantity,
      }));
      return { streamer, kinds };
    },
    act: async (store, { streamer: { userId }, kinds }) =>
      codeOf(await returnKinds(store, { requestId: newId(START_MS), userId, kinds }, START_MS)),
    async look(store, { streamer }, place) {
      const rows = await store.read
        .select({ state: items.state })
        .from(items)
        .where(and(eq(items.ownerId, streamer.userId), eq(items.marketHashName, nameAt(place))));
      return rows.map(({ state }) => state).sort();
    },
  }));

test('A deposit stores each piece with its own facts and its own lock', () =>
  actsOnEachAlike({
    element: fc.record({
      appId: game,
      traits: fc.constantFrom('', 'Demo sticker'),
      context: contexts,
      protectedDays: days,
    }),
    async prepare(store, elements) {
      await addBot(store);
      const streamer = await addStreamer(store);
      const assets = elements.map(({ appId, traits }, place) => asset(nameAt(place), { appId, traits }));
      return { streamer, assets, elements };
    },
    async act(store, { streamer: { userId }, assets, elements }) {
      const requestId = newId(START_MS);
      const asked = await requestDeposit(store, { requestId, userId, assets }, START_MS, Date.now());
      await sendQueued(store, START_MS);
      const moved = assets.map(({ appId, assetId }, place) => ({
        appId,
        assetId,
        newAssetId: `${assetId}1`,
        newContextId: elements[place]!.context,
        ...untilOf(elements[place]!.protectedDays),
      }));
      // Steam may list them in another order than they were asked for.
      const accepted = { event: 'accepted', tradeId: `t${requestId}`, moved: moved.reverse() } as const;
      await reportTransfer(store, requestId, accepted, START_MS);
      return codeOf(asked);
    },
    async look(store, { streamer, assets }, place) {
      const mine = and(eq(items.ownerId, streamer.userId), eq(items.marketHashName, nameAt(place)));
      const [item] = await store.read.select().from(items).where(mine);
      const isItself = item && item.assetId === `${assets[place]!.assetId}1`;
      return item && { ...(await readItem(store, item.id)), appId: item.appId, isItself };
    },
  }));

test('A return that was reversed in part does to each item what its own end says', () =>
  actsOnEachAlike({
    element: fc.record({ appId: game, isBack: fc.boolean(), context: contexts, protectedDays: days }),
    async prepare(store, elements) {
      const held = await hold(store, elements);
      const requestId = newId(START_MS);
      const { itemIds, assets } = held;
      await returnItems(store, { requestId, userId: held.streamer.userId, itemIds }, START_MS);
      await sendQueued(store, START_MS);
      const rows = await store.read.select().from(items).where(eq(items.ownerId, held.streamer.userId));
      const given = assets.map(({ appId, marketHashName }, place) => {
        const { assetId } = rows.find((row) => row.marketHashName === marketHashName)!;
        return { appId, assetId, newAssetId: `${place}${assetId}`, newContextId: '2' };
      });
      const accepted = { event: 'accepted', tradeId: `t${requestId}`, moved: given } as const;
      await reportTransfer(store, requestId, { ...accepted, settlesAtMs: START_MS + 7 * day }, START_MS);
      return { ...held, requestId, given, elements };
    },
    async act(store, { requestId, given, elements }) {
      const moved = given.flatMap(({ appId, newAssetId }, place) => {
        const { isBack, context: newContextId, protectedDays } = elements[place]!;
        const back = { appId, assetId: newAssetId, newAssetId: `${newAssetId}1`, newContextId };
        return isBack ? [{ ...back, ...untilOf(protectedDays) }] : [];
      });
      const stayed = given.filter((_, place) => !elements[place]!.isBack);
      if (moved.length === 0) await reportTransfer(store, requestId, { event: 'settled' }, START_MS + day);
      else await reportTransfer(store, requestId, { event: 'reversed', moved, stayed }, START_MS + day);
      return null;
    },
    look: (store, { itemIds }, place) => readItem(store, itemIds[place]!),
  }));

test('Reconciliation judges each item by itself', () =>
  actsOnEachAlike({
    element: fc.record({
      appId: fc.constant(730),
      isMissing: fc.boolean(),
      isThere: fc.boolean(),
      wasAbsent: fc.boolean(),
      isLocked: fc.boolean(),
      traits: fc.constantFrom('', 'Demo sticker'),
      contextId: contexts,
    }),
    telling: [
      [true, false],
      [false, true],
    ].map((all) =>
      all.map((isMissing) => ({
        appId: 730,
        isMissing,
        isThere: false,
        wasAbsent: false,
        isLocked: false,
        traits: '',
        contextId: '2',
      })),
    ),
    async prepare(store, elements) {
      const held = await hold(store, elements);
      const botId = await addBot(store);
      for (const [place, { isMissing, isLocked }] of elements.entries()) {
        const lockedUntilMs = START_MS + (isLocked ? day : -day);
        await setItem(store, held.itemIds[place]!, { botId, lockedUntilMs });
        if (!isMissing) continue;
        const absent = new Set([held.itemIds[place]!]);
        const rest = await store.read.select().from(items).where(eq(items.botId, botId));
        const found = rest.filter(({ id, state }) => state === 'held' && !absent.has(id));
        const reading = { botId, appId: 730, found, readAtMs: START_MS, absentBefore: absent };
        await reconcileItems(store, reading, START_MS);
      }
      return { ...held, botId, elements };
    },
    async act(store, { botId, itemIds, elements }) {
      const rows = await store.read.select().from(items).where(eq(items.botId, botId));
      const found = elements.flatMap(({ isThere, traits, contextId }, place) => {
        const row = rows.find(({ id }) => id === itemIds[place])!;
        return isThere ? [{ assetId: row.assetId, classId: row.classId, traits, contextId }] : [];
      });
      const absentBefore = new Set(itemIds.filter((_, place) => elements[place]!.wasAbsent));
      const reading = { botId, appId: 730, found, readAtMs: START_MS + 1, absentBefore };
      await reconcileItems(store, reading, START_MS + 1);
      return null;
    },
    look: (store, { itemIds }, place) => readItem(store, itemIds[place]!),
  }));

test('An inventory’s unknown assets are stored, kept and dropped one by one', () =>
  actsOnEachAlike({
    element: fc.record({ wasThere: fc.boolean(), isThere: fc.boolean(), isOurs: fc.boolean() }),
    async prepare(store, elements) {
      const held = await hold(
        store,
        elements.map(() => ({ appId: 730 })),
      );
      const botId = await addBot(store);
      const rows = await store.read.select().from(items).where(eq(items.ownerId, held.streamer.userId));
      const assets = held.assets.map((each) => {
        const row = rows.find(({ marketHashName }) => marketHashName === each.marketHashName)!;
        return { ...each, assetId: row.assetId };
      });
      const before = assets.filter((_, place) => elements[place]!.wasThere);
      await recordUnknownAssets(store, { botId, appId: 730, found: before }, START_MS);
      for (const [place, { isOurs }] of elements.entries())
        if (isOurs) await setItem(store, held.itemIds[place]!, { botId });
      return { assets, botId, elements };
    },
    async act(store, { assets, botId, elements }) {
      const found = assets.filter((_, place) => elements[place]!.isThere);
      await recordUnknownAssets(store, { botId, appId: 730, found }, START_MS + day);
      return null;
    },
    look: (store, { assets, botId }, place) =>
      store.read
        .select({ firstSeenAtMs: unknownAssets.firstSeenAtMs, lastSeenAtMs: unknownAssets.lastSeenAtMs })
        .from(unknownAssets)
        .where(and(eq(unknownAssets.botId, botId), eq(unknownAssets.assetId, assets[place]!.assetId))),
  }));
