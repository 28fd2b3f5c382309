import { expect, test, vi } from 'vitest';
import { InventoryReader } from '#bot/steam/inventory-reader.ts';
import type {
  InventoryAnswer,
  InventoryItem,
  InventoryVisitor,
  SteamAccount,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { inventoryReads } from '#domain/budget/budgets.ts';
import { hour, minute } from '#domain/kernel/time.ts';

const inventoryOf = (steamId: string, userId = `user of ${steamId}`) => ({
  userId,
  steamId,
  appId: 730,
  contextId: '2',
});

/** A reader over some bots, whose inventories have the asset that `shown` names. */
function readerOver(bots = 1, patienceMs = 60_000) {
  const time = { nowMs: 1000 };
  const shown = { assetId: 'first' };
  const inventory = vi.fn<
    (bot: number, steamId: string, visitor?: InventoryVisitor) => ReturnType<SteamAccount['inventory']>
  >(async () => ({ ok: true, value: [{ assetId: shown.assetId }] as InventoryItem[] }));
  const accounts = Array.from({ length: bots }, (_, bot) => ({
    inventory: (steamId: string, _appId: number, _contextId: string, visitor?: InventoryVisitor) =>
      inventory(bot, steamId, visitor),
  })) as unknown as SteamAccount[];
  const reader = new InventoryReader(
    () => accounts,
    () => time.nowMs,
    patienceMs,
  );
  const read = async (options?: { refresh: boolean }, steamId = 'one') => {
    const answer = await reader.read(inventoryOf(steamId), options);
    return answer.ok ? answer.value.items[0]?.assetId : answer.code;
  };
  return { reader, read, time, shown, inventory, accounts };
}

test('An inventory is read at most once a minute; whoever asks for it again waits ten seconds', async () => {
  const { read, time, shown } = readerOver();
  expect(await read()).toBe('first');
  shown.assetId = 'second';
  time.nowMs += 9_999;
  expect(await read({ refresh: true })).toBe('first');
  time.nowMs += 1;
  expect(await read()).toBe('first');
  expect(await read({ refresh: true })).toBe('second');
  shown.assetId = 'third';
  time.nowMs += 59_999;
  expect(await read()).toBe('second');
  time.nowMs += 1;
  expect(await read()).toBe('third');
});

test('Those who ask at the same time share one reading, and each inventory has its own', async () => {
  const { reader, read, inventory } = readerOver();
  await Promise.all([read(), read({ refresh: true }), read({ refresh: false }, 'two')]);
  await reader.read({ ...inventoryOf('one'), appId: 440 });
  await reader.read({ ...inventoryOf('one'), contextId: '16' });
  expect(inventory.mock.calls.map(([, steamId]) => steamId)).toEqual(['one', 'two', 'one', 'one']);
});

test('The bots take turns', async () => {
  const { read, inventory } = readerOver(2);
  for (const steamId of ['one', 'two', 'three']) await read(undefined, steamId);
  expect(inventory.mock.calls.map(([bot, steamId]) => [bot, steamId])).toEqual([
    [0, 'one'],
    [1, 'two'],
    [0, 'three'],
  ]);
});

test('A failure is answered and not remembered', async () => {
  const { reader, read, inventory, accounts } = readerOver();
  inventory.mockResolvedValueOnce(failure('steamUnavailable', 'later'));
  expect(await read()).toBe('steamUnavailable');
  expect(await read()).toBe('first');
  accounts.length = 0;
  expect(await reader.read(inventoryOf('two'))).toMatchObject({ code: 'steamUnavailable', retry: 'later' });
});

test('Of more than two hundred inventories the one read longest ago is forgotten', async () => {
  const { read, time, inventory } = readerOver();
  for (let nth = 0; nth < 200; nth++) await read(undefined, `person-${nth}`);
  time.nowMs += 10_000;
  await read({ refresh: true }, 'person-0');
  await read(undefined, 'person-200');
  expect(inventory).toHaveBeenCalledTimes(202);
  for (const saved of ['person-0', 'person-2', 'person-200']) await read(undefined, saved);
  expect(inventory).toHaveBeenCalledTimes(202);
  await read(undefined, 'person-1');
  expect(inventory).toHaveBeenCalledTimes(203);
});

test('A private inventory is not read again with each page, but at once when its owner asks', async () => {
  const { read, inventory } = readerOver();
  inventory.mockResolvedValueOnce(failure('inventoryPrivate', 'never'));
  expect(await read()).toBe('inventoryPrivate');
  expect(await read()).toBe('inventoryPrivate');
  expect(await read({ refresh: true })).toBe('first');
  expect(inventory).toHaveBeenCalledTimes(2);
});

test('One account forces few readings; then it gets its last one, or is told to wait, and others are read', async () => {
  const { reader, read, time, inventory } = readerOver();
  const { burst, gapMs } = inventoryReads;
  for (let minutes = 0; minutes < 4; minutes++)
    for (let nth = 0; nth < 6; nth++) {
      await read({ refresh: true }, 'greedy');
      time.nowMs += 10_000;
    }
  // Six at once and four a minute, of what would have been six a minute.
  expect(inventory.mock.calls.length).toBeLessThanOrEqual(burst + (4 * minute) / gapMs);
  expect(inventory.mock.calls.length).toBeLessThan(24);
  for (let nth = 0; nth < burst; nth++) await reader.read({ ...inventoryOf('greedy'), appId: 1000 + nth });
  const refused = await reader.read({ ...inventoryOf('greedy'), appId: 2000 });
  expect(refused).toMatchObject({ ok: false, code: 'readTooOften', waitMs: expect.any(Number) });
  expect(await reader.read(inventoryOf('greedy'), { refresh: true })).toMatchObject({
    ok: true,
    value: { isPutOff: true },
  });
  expect(await read(undefined, 'other')).toBe('first');
});

test('While Steam is asked too often the last reading is answered, for an hour at most', async () => {
  const { reader, read, time, inventory } = readerOver();
  await read();
  inventory.mockResolvedValue(failure('steamBusy', 'later'));
  time.nowMs += hour - 1;
  expect(await reader.read(inventoryOf('one'))).toMatchObject({
    ok: true,
    value: { readAtMs: 1000, isPutOff: true },
  });
  time.nowMs += 1;
  expect(await read()).toBe('steamBusy');
  expect(await read(undefined, 'unread')).toBe('steamBusy');
});

test('An inventory of several pages takes a turn of the share for each', async () => {
  const { reader, inventory } = readerOver();
  const many = Array.from({ length: 5001 }, () => ({ assetId: 'one of many' }) as InventoryItem);
  inventory.mockResolvedValueOnce({ ok: true, value: many });
  await reader.read(inventoryOf('one'));
  expect(await reader.read({ ...inventoryOf('one'), appId: 440 })).toMatchObject({ code: 'readTooOften' });
});

test('A user who connects one Steam account after another has one share; so has a Steam account of many users', async () => {
  const { reader, inventory } = readerOver();
  const { burst } = inventoryReads;
  const codes = async (queries: number, of: (nth: number) => ReturnType<typeof inventoryOf>) => {
    const answers = [];
    for (let nth = 0; nth < queries; nth++) answers.push(await reader.read(of(nth), { refresh: true }));
    return answers.map((answer) => (answer.ok ? 'read' : answer.code));
  };
  const shared = [...Array(burst).fill('read'), 'readTooOften', 'readTooOften'];
  expect(await codes(burst + 2, (nth) => inventoryOf(`steam-${nth}`, 'greedy'))).toEqual(shared);
  const appIds = (nth: number) => ({ ...inventoryOf('passed on', `user-${nth}`), appId: 1000 + nth });
  expect(await codes(burst + 2, appIds)).toEqual(shared);
  expect(inventory).toHaveBeenCalledTimes(2 * burst);
  expect(await codes(1, () => inventoryOf('ordinary'))).toEqual(['read']);
});

function openReading() {
  let resolve: (answer: InventoryAnswer) => void = () => {};
  const promise = new Promise<InventoryAnswer>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const assets = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ assetId: `${nth}` }) as InventoryItem);

test('Of a large inventory the pages that have come are answered while the others are read', async () => {
  const { reader, inventory } = readerOver(1, 0);
  const whole = openReading();
  inventory.mockImplementationOnce((_bot, _steamId, visitor) => {
    visitor?.onPage?.(assets(1000), 3000);
    return whole.promise;
  });
  const first = await reader.read(inventoryOf('one'));
  expect(first).toMatchObject({
    ok: true,
    value: { readAtMs: 1000, part: { total: 3000, isReading: true } },
  });
  expect(first.ok && first.value.items.length).toBe(1000);
  const [, , visitor] = inventory.mock.calls[0] ?? [];
  visitor?.onPage?.(assets(2000), 3000);
  const second = await reader.read(inventoryOf('one'), { refresh: true });
  expect(second.ok && second.value.items.length).toBe(2000);
  whole.resolve({ ok: true, value: assets(3000) });
  await vi.waitFor(async () => {
    const last = await reader.read(inventoryOf('one'));
    expect(last).toMatchObject({ ok: true, value: { items: { length: 3000 } } });
    expect(last.ok && last.value).not.toHaveProperty('part');
  });
  expect(inventory).toHaveBeenCalledTimes(1);
});

test('Before its first page an inventory is waited for, and its refusal is answered', async () => {
  const { read, inventory } = readerOver(1, 0);
  const whole = openReading();
  inventory.mockReturnValueOnce(whole.promise);
  const reading = read();
  whole.resolve(failure('inventoryPrivate', 'never'));
  expect(await reading).toBe('inventoryPrivate');
});

test('An inventory of which a page failed is answered as a part, and used no longer than others', async () => {
  const { reader, read, time, inventory } = readerOver();
  inventory.mockImplementationOnce(async (_bot, _steamId, visitor) => {
    visitor?.onPage?.(assets(1000), 3000);
    return { ok: true, value: assets(1000), isShort: true };
  });
  expect(await reader.read(inventoryOf('one'))).toMatchObject({
    ok: true,
    value: { part: { total: 3000, isReading: false } },
  });
  time.nowMs += minute;
  expect(await read()).toBe('first');
});

test('A large inventory is used again for a minute for each of its pages, for five at most', async () => {
  for (const [items, minutes] of [
    [1000, 1],
    [1001, 2],
    [12_000, 5],
  ] as const) {
    const { read, time, inventory } = readerOver();
    inventory.mockResolvedValueOnce({ ok: true, value: assets(items) });
    await read();
    time.nowMs += minutes * minute - 1;
    expect(await read()).toBe('0');
    time.nowMs += 1;
    expect(await read()).toBe('first');
  }
});
