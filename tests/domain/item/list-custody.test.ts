import { expect, test } from 'vitest';
import { getCustodyTotals, listCustody } from '#domain/item/list-custody.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { returnKinds } from '#domain/transfer/return-kinds.ts';
import { addRule, addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const custody = (more: object = {}) => listCustody(db, { ownerId: streamer.userId, ...more }, START_MS);

test('Items are counted by kind: available, locked, assigned, moving', async () => {
  await addRule(db, streamer, { rewards: 2 });
  await deposit(db, streamer, [asset(), asset(), asset(), asset('Demo glove')], START_MS - 8 * day);
  await deposit(db, streamer, [asset(), asset('Demo glove')], START_MS - 2 * day);
  await deposit(db, streamer, [asset('Demo glove')], START_MS - 1 * day);
  const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: 1 }];
  await returnKinds(db, { requestId: newId(START_MS), userId: streamer.userId, kinds }, START_MS);

  const { rows, next } = await custody();
  expect(next).toBeNull();
  expect(rows).toMatchObject([
    {
      marketHashName: 'Demo case',
      total: 6,
      available: 2,
      inCooldown: 1,
      assigned: 2,
      moving: 1,
      missing: 0,
    },
    {
      marketHashName: 'Demo glove',
      typeTag: 'CSGO_Type_WeaponCase',
      total: 3,
      available: 1,
      inCooldown: 2,
      firstUnlockMs: START_MS + 5 * day,
      lastUnlockMs: START_MS + 6 * day,
      assigned: 0,
      moving: 0,
    },
  ]);
  const totals = await getCustodyTotals(db, { ownerId: streamer.userId }, START_MS);
  expect(totals).toMatchObject({ total: 9, available: 3, inCooldown: 3, assigned: 2, moving: 1, rules: 1 });
});

test('An item is unlocked exactly at the stated time', async () => {
  await deposit(db, streamer, [asset()], START_MS - 7 * day);
  const at = (nowMs: number) => listCustody(db, { ownerId: streamer.userId }, nowMs);
  expect((await at(START_MS - 1)).rows).toMatchObject([
    { available: 0, inCooldown: 1, firstUnlockMs: START_MS },
  ]);
  expect((await at(START_MS)).rows).toMatchObject([{ available: 1, inCooldown: 0, firstUnlockMs: null }]);
});

test('Nobody sees another streamer’s items', async () => {
  const other = await addStreamer(db);
  await deposit(db, other, [asset()]);
  expect((await custody()).rows).toEqual([]);
  const totals = await getCustodyTotals(db, { ownerId: streamer.userId }, START_MS);
  expect(totals).toMatchObject({ total: 0, available: 0, firstUnlockMs: null, rules: 0 });
});

test('A search matches literally, ignoring case', async () => {
  await deposit(db, streamer, [asset('Demo 100% case'), asset('Demo 1000 case'), asset('Demo_glove')]);
  const found = async (search: string) => (await custody({ search })).rows.map((row) => row.marketHashName);
  expect(await found('100% CASE')).toEqual(['Demo 100% case']);
  expect(await found('o_g')).toEqual(['Demo_glove']);
  expect(await found("' or 1=1 --")).toEqual([]);
});

test('A filter keeps the kinds with items in that state', async () => {
  await deposit(db, streamer, [asset('Demo old')], START_MS - 8 * day);
  await deposit(db, streamer, [asset('Demo new')], START_MS - hour);
  const found = async (filter: string) => (await custody({ filter })).rows.map((row) => row.marketHashName);
  expect(await found('available')).toEqual(['Demo old']);
  expect(await found('inCooldown')).toEqual(['Demo new']);
  expect(await found('moving')).toEqual([]);
});

test('One game shows only its own items', async () => {
  await deposit(db, streamer, [asset('Demo case'), asset('Demo hat', { appId: 440 })]);
  const found = async (appId: number) => (await custody({ appId })).rows.map((row) => row.marketHashName);
  expect(await found(440)).toEqual(['Demo hat']);
  expect(await found(730)).toEqual(['Demo case']);
  expect(await found(570)).toEqual([]);
});

test('Pages follow one another without gaps or repeats', async () => {
  const names = ['Demo a', 'Demo b', 'Demo c', 'Demo d', 'Demo e'];
  await deposit(
    db,
    streamer,
    names.map((name) => asset(name)),
  );
  await deposit(db, streamer, [asset('Demo c', { appId: 440 })]);
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof custody>> = await custody({ size: 2, after });
    seen.push(...page.rows.map((row) => `${row.marketHashName}/${row.appId}`));
    after = page.next;
  } while (after);
  expect(seen).toEqual(['Demo a/730', 'Demo b/730', 'Demo c/440', 'Demo c/730', 'Demo d/730', 'Demo e/730']);
  const tampered = await custody({ size: 2, after: 'nonsense' });
  expect(tampered.rows.map((row) => row.marketHashName)).toEqual(['Demo a', 'Demo b']);
});

test('Kinds are listed by amount or rarity, then by name, over all pages', async () => {
  const kinds = [
    { name: 'Demo a', pieces: 1, rarityTag: 'Rarity_Common' },
    { name: 'Demo b', pieces: 3, rarityTag: 'Rarity_Ancient_Weapon' },
    { name: 'Demo c', pieces: 3, rarityTag: 'Rarity_Contraband' },
    { name: 'Demo d', pieces: 2, rarityTag: 'Rarity_Rare_Character' },
    { name: 'Demo e', pieces: 1, rarityTag: 'Rarity_Uncommon_Weapon' },
    { name: 'Demo f', pieces: 2, rarityTag: '' },
  ];
  for (const { name, pieces, rarityTag } of kinds)
    await deposit(
      db,
      streamer,
      Array.from({ length: pieces }, () => asset(name, { rarityTag })),
    );
  const listed = async (asked: object) => {
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof custody>> = await custody({ ...asked, size: 2, after });
      seen.push(...page.rows.map(({ marketHashName }) => marketHashName.slice(-1)));
      after = page.next;
    } while (after);
    return seen.join('');
  };
  expect(await listed({ order: 'amount' })).toBe('bcdfae');
  expect(await listed({ order: 'rarity' })).toBe('cbdeaf');
  expect(await listed({ order: 'rarity', search: 'demo', filter: 'inCooldown' })).toBe('cbdeaf');
  const otherOrder = (await custody({ size: 2 })).next;
  expect((await custody({ order: 'amount', size: 2, after: otherOrder })).rows).toMatchObject([
    { marketHashName: 'Demo b' },
    { marketHashName: 'Demo c' },
  ]);
});

test('Returning by kind takes the oldest, answers a second submit, and refuses more than there is', async () => {
  await deposit(db, streamer, [asset(), asset()], START_MS - 9 * day);
  await deposit(db, streamer, [asset()], START_MS - 1 * day);
  const ask = (requestId: string, quantity: number, userId = streamer.userId) =>
    returnKinds(
      db,
      { requestId, userId, kinds: [{ appId: 730, marketHashName: 'Demo case', quantity }] },
      START_MS,
    );
  expect(await ask(newId(START_MS), 3)).toEqual({ ok: false, code: 'itemUnavailable' });
  expect(await ask(newId(START_MS), 0)).toEqual({ ok: false, code: 'nothingPicked' });
  expect(await ask(newId(START_MS), 101)).toEqual({ ok: false, code: 'tooManyItems' });
  const other = await addStreamer(db);
  expect(await ask(newId(START_MS), 1, other.userId)).toEqual({ ok: false, code: 'itemUnavailable' });

  const requestId = newId(START_MS);
  expect(await ask(requestId, 2)).toEqual({ ok: true, transferIds: [requestId] });
  expect(await ask(requestId, 2)).toEqual({ ok: true, transferIds: [requestId] });
  expect((await custody()).rows).toMatchObject([{ available: 0, inCooldown: 1, moving: 2 }]);
});
