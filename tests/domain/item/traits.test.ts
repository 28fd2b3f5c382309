import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { listCustody } from '#domain/item/list-custody.ts';
import { oldestOfKind } from '#domain/item/oldest-of-kind.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { returnKinds } from '#domain/transfer/return-kinds.ts';
import { addPerson, addRule, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf, owned, rewardsOf } from '#tests/support/looking.ts';
import { addRandomRule, drawsOf } from '#tests/support/random-rule.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const sticker = 'Sticker: Demo One\nWear Rating: 0.060883898';
const nameTag = "Name Tag: ''Demo''";
const kind = { appId: 730, marketHashName: 'Demo case' };
const place = (traits = '') => asset('Demo case', traits ? { traits } : {});

test('“Any of its kind” takes no piece with traits, and such a piece is taken by naming them', async () => {
  await deposit(db, streamer, [place(sticker), place(nameTag)], START_MS - 9 * day);
  await deposit(db, streamer, [place(), place()], START_MS - 8 * day);
  const of = async (traits: string) =>
    (await itemsOf(db, streamer.userId)).flatMap((item) => (item.traits === traits ? [item.id] : []));
  const take = async (quantity: number, traits?: string) => {
    const asked = { ...kind, quantity, ...(traits !== undefined && { traits }) };
    return (await oldestOfKind(db.read, streamer.userId, asked, START_MS)).map(({ id }) => id);
  };
  expect((await take(4)).sort()).toEqual((await of('')).sort());
  expect(await take(4, sticker)).toEqual(await of(sticker));
  const { rows } = await listCustody(db, { ownerId: streamer.userId }, START_MS);
  expect(rows.map(({ traits, available }) => [traits, available])).toEqual([
    ['', 2],
    [nameTag, 1],
    [sticker, 1],
  ]);
  const second = await listCustody(db, { ownerId: streamer.userId, size: 1 }, START_MS);
  const third = await listCustody(db, { ownerId: streamer.userId, size: 1, after: second.next }, START_MS);
  expect(third.rows.map(({ traits }) => traits)).toEqual([nameTag]);

  const request = { userId: streamer.userId, requestId: newId(START_MS) };
  const three = { ...request, kinds: [{ ...kind, quantity: 3 }] };
  expect(await returnKinds(db, three, START_MS)).toEqual({ ok: false, code: 'itemUnavailable' });
});

test('A rule lists, draws and gives up an exact piece as its own kind', async () => {
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 1 });
  await deposit(db, streamer, [place(sticker)], START_MS - 9 * day);
  const piece = { ...kind, traits: sticker, quantity: 1 };
  const asked = { ruleId, userId: streamer.userId };
  const added = { ...asked, kinds: [{ ...piece, weight: 7 }] };
  expect(await attachRewards(db, added, START_MS)).toEqual({ ok: true, attached: 1 });
  const listed = await listRuleRewards(db, owned(ruleId));
  expect(listed.map(({ traits, free, weight }) => [traits, free, weight])).toEqual([
    ['', 1, 1],
    [sticker, 1, 7],
  ]);
  const two = { ...asked, kinds: [{ ...kind, quantity: 2 }] };
  expect(await detachRewards(db, two, START_MS)).toEqual({ ok: false, code: 'notEnough' });
  const viewer = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [draw] = await drawsOf(db, ruleId);
  expect(draw?.candidates.map(({ marketHashName, weight }) => [marketHashName, weight])).toEqual([
    ['Demo case', 1],
    [`Demo case\n${sticker}`, 7],
  ]);
});

test('Whatever the pool, a promise by kind never names a special piece', async () => {
  const piece = fc.record({ isSpecial: fc.boolean(), isOlder: fc.boolean() });
  const pieces = fc.array(piece, { minLength: 1, maxLength: 6 });
  const types = fc.constantFrom('one' as const, 'random' as const);
  await fc.assert(
    fc.asyncProperty(pieces, types, fc.integer({ min: 1, max: 6 }), async (pool, type, quantity) => {
      const owner = await addStreamer(db);
      for (const older of [true, false]) {
        const given = pool.flatMap(({ isSpecial, isOlder }, n) =>
          isOlder === older ? [place(isSpecial ? `Sticker: Demo ${n}` : '')] : [],
        );
        if (given.length > 0) await deposit(db, owner, given, START_MS - (older ? 10 : 9) * day);
      }
      const plain = pool.filter(({ isSpecial }) => !isSpecial).length;
      const ruleId = await addRule(db, owner, { type, rewards: 0, watchMinutes: 10 });
      const asked = { ruleId, userId: owner.userId, kinds: [{ ...kind, quantity }] };
      const outcome = await attachRewards(db, asked, START_MS);
      expect(outcome.ok).toBe(quantity <= plain);
      const viewers = await Promise.all(pool.map(() => addPerson(db)));
      await watchFor(
        db,
        owner.twitchId,
        viewers.map(({ twitchId }) => [twitchId, 600]),
      );
      await evaluateChannel(db, owner.twitchId, START_MS);
      const traitsOf = new Map((await itemsOf(db, owner.userId)).map(({ id, traits }) => [id, traits]));
      const promised = await rewardsOf(db, ruleId);
      expect(promised).toHaveLength(outcome.ok ? quantity : 0);
      expect(promised.map(({ itemId }) => traitsOf.get(itemId)).filter((traits) => traits !== '')).toEqual(
        [],
      );
    }),
    { numRuns: 12, seed: 20_260_105 },
  );
});

test('A piece is attached by its wear before any of its kind is, whatever the order they are named in', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const oldest = asset('Demo case', { wear: '0.2' });
  await deposit(db, streamer, [oldest], START_MS - 10 * day);
  await deposit(db, streamer, [asset('Demo case', { wear: '0.31' })], START_MS - 9 * day);
  const asked = { ruleId, userId: streamer.userId };
  const kinds = [
    { ...kind, quantity: 1 },
    { ...kind, wear: '0.2', quantity: 1 },
  ];
  expect(await attachRewards(db, { ...asked, kinds }, START_MS)).toEqual({ ok: true, attached: 2 });
  await deposit(db, streamer, [asset('Demo case', { wear: '0.4' })], START_MS - 8 * day);
  const again = { ...asked, kinds: [{ ...kind, wear: '0.2', quantity: 1 }] };
  expect(await attachRewards(db, again, START_MS)).toEqual({ ok: false, code: 'notEnough' });
});

test('What is learned of a piece moves its ended rewards to its kind, and no others', async () => {
  await deposit(db, streamer, [place(), place()], START_MS - 9 * day);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const asked = { ruleId, userId: streamer.userId };
  const attach = (quantity: number, traits = '') =>
    attachRewards(db, { ...asked, kinds: [{ ...kind, traits, quantity }] }, START_MS);
  await attach(2);
  await detachRewards(db, { ...asked, kinds: [{ ...kind, quantity: 2 }] }, START_MS);
  // The one that shows the kind is the one of which more is learned.
  const [plain, special] = (await itemsOf(db, streamer.userId)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const listed = async () =>
    (await listRuleRewards(db, owned(ruleId))).map(({ traits, free, recalled }) => [traits, free, recalled]);
  expect(await listed()).toEqual([['', 0, 2]]);
  const reading = { botId, appId: 730, isWhole: true, absentBefore: new Set<string>() };
  const found = [plain!, { ...special!, traits: sticker }];
  await reconcileItems(db, { ...reading, found, readAtMs: START_MS + 1 }, START_MS + 1);
  expect(await listed()).toEqual([
    ['', 0, 1],
    [sticker, 0, 1],
  ]);
  await attach(1, sticker);
  await detachRewards(db, { ...asked, kinds: [{ ...kind, traits: sticker, quantity: 1 }] }, START_MS);
  await reconcileItems(
    db,
    { ...reading, found: [{ ...plain!, traits: nameTag }, special!], readAtMs: START_MS + 2 },
    START_MS + 2,
  );
  expect(await listed()).toEqual([
    [nameTag, 0, 1],
    [sticker, 0, 2],
  ]);
});

test('What a later reading tells more rightly replaces old traits; one that tells less takes none away', async () => {
  const garbled = 'Sticker: Demo One (Holo)">';
  await deposit(
    db,
    streamer,
    [place(garbled), place(`${nameTag}\nWear Rating: 0.1`), place()],
    START_MS - 9 * day,
  );
  const ordered = async () =>
    (await itemsOf(db, streamer.userId)).sort((a, b) => (a.assetId < b.assetId ? -1 : 1));
  const held = await ordered();
  const shown = async (...traits: string[]) => {
    const found = held.map((item, nth) => ({ ...item, traits: traits[nth] ?? '' }));
    const reading = { botId, appId: 730, isWhole: true, absentBefore: new Set<string>(), found };
    await reconcileItems(db, { ...reading, readAtMs: START_MS + 1 }, START_MS + 1);
    return (await ordered()).map((item) => item.traits);
  };
  expect(held.map((item) => item.traits)).toEqual([garbled, `${nameTag}\nWear Rating: 0.1`, '']);
  const whole = [sticker, `${nameTag}\nWear Rating: 0.1`, 'Phase by picture: 0A1B2C'];
  expect(await shown(sticker, nameTag, 'Phase by picture: 0A1B2C')).toEqual(whole);
  expect(await shown('', '', '')).toEqual(whole);
  const reordered = whole.map((traits) => traits.split('\n').toReversed().join('\n'));
  expect(reordered).not.toEqual(whole);
  expect(await shown(...reordered)).toEqual(whole);
});

test('Pictures of what is applied are stored in the order of the lines that are known', async () => {
  const [wing, star, charm] = ['stickers/wing.1.png', 'stickers/star.2.png', 'charms/bell.3.png'];
  const [stickers, charms] = ['Sticker: Demo Wing, Demo Star', 'Charm: Demo Bell'];
  await deposit(db, streamer, [place(`${charms}\nWear Rating: 0.1\n${stickers}`)], START_MS - 9 * day);
  const traits = `${stickers}\n${charms}\nWear Rating: 0.1`;
  const traitIcons = `${wing}\n${star}\n${charm}`;
  const found = (await itemsOf(db, streamer.userId)).map((item) => ({ ...item, traits, traitIcons }));
  const reading = { botId, appId: 730, isWhole: true, absentBefore: new Set<string>(), found };
  await reconcileItems(db, { ...reading, readAtMs: START_MS + 1 }, START_MS + 1);
  const { rows } = await listCustody(db, { ownerId: streamer.userId }, START_MS);
  expect(rows.map((row) => row.traitIcons)).toEqual([`${charm}\n${wing}\n${star}`]);
});

test('Pictures of what is applied become known later, and go with the names that they were read with', async () => {
  const [wing, star] = ['stickers/wing.1.png', 'stickers/star.2.png'];
  const two = 'Sticker: Demo Wing, Demo Star';
  await deposit(db, streamer, [place(two)], START_MS - 9 * day);
  const read = async (traits: string, traitIcons: string) => {
    const found = (await itemsOf(db, streamer.userId)).map((item) => ({ ...item, traits, traitIcons }));
    const reading = { botId, appId: 730, isWhole: true, absentBefore: new Set<string>(), found };
    await reconcileItems(db, { ...reading, readAtMs: START_MS + 1 }, START_MS + 1);
    const { rows } = await listCustody(db, { ownerId: streamer.userId }, START_MS);
    return rows.map((row) => row.traitIcons);
  };
  expect(await read(two, '')).toEqual(['']);
  expect(await read(two, `${wing}\n${star}`)).toEqual([`${wing}\n${star}`]);
  expect(await read(two, '')).toEqual([`${wing}\n${star}`]);
  expect(await read('', star)).toEqual([`${wing}\n${star}`]);
  expect(await read('Sticker: Demo Star, Demo Other', star)).toEqual([star]);
  expect(await read('Sticker: Demo Wing, Demo Third', '')).toEqual(['']);
});
