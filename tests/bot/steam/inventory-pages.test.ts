import { expect, test, vi } from 'vitest';
import { inventoryPage } from '#bot/steam/inventory-item.ts';
import { readInventoryPages } from '#bot/steam/inventory-pages.ts';
import type { Visitor } from '#bot/steam/limiters.ts';
import type { SteamAnswer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';

type Page = ReturnType<typeof inventoryPage.parse>;

const PAGES = 12;
const PAGE_ITEMS = 1000;
const TOTAL = PAGES * PAGE_ITEMS;
const visitor: Visitor = { account: 'user', maxWaitMs: 12_000 };
const down = failure('steamUnavailable', 'later');

const pageAt = (page: number) =>
  inventoryPage.parse({
    success: 1,
    total_inventory_count: TOTAL,
    assets: Array.from({ length: PAGE_ITEMS }, (_, nth) => ({
      assetid: `${page * PAGE_ITEMS + nth + 1}`,
      classid: '100',
    })),
    ...(page < PAGES - 1 && { more_items: 1, last_assetid: `${page + 1}` }),
  });

/** Reads an inventory of 12,000 items, of which these pages fail. */
async function read(failing: readonly number[] = [], isOwn = false) {
  const readPage = vi.fn<(start: string, waiting?: Visitor) => Promise<SteamAnswer<Page>>>(async (start) =>
    failing.includes(Number(start)) ? down : { ok: true, value: pageAt(Number(start)) },
  );
  const onPage = vi.fn();
  const wanted = { appId: 730, contextId: '2', isOwn, visitor: { ...visitor, onPage } };
  const answer = await readInventoryPages(readPage, wanted);
  return { answer, readPage, seen: onPage.mock.calls.map(([items, total]) => [items.length, total]) };
}

test('An inventory of 12,000 items is shown page by page until all is read', async () => {
  const { answer, seen, readPage } = await read();
  expect(answer).toMatchObject({ ok: true });
  expect(answer.ok && answer.value.length).toBe(TOTAL);
  expect(answer).not.toHaveProperty('isShort');
  expect(seen).toEqual(Array.from({ length: PAGES - 1 }, (_, page) => [(page + 1) * PAGE_ITEMS, TOTAL]));
  const waits = readPage.mock.calls.map(([, waiting]) => waiting?.maxWaitMs);
  expect(waits).toEqual([12_000, ...Array(PAGES - 1).fill(60_000)]);
});

test('A page that fails keeps those before it, and then the inventory proves nothing absent', async () => {
  for (const isOwn of [true, false]) {
    const { answer, readPage } = await read([3], isOwn);
    expect(answer).toMatchObject({ ok: true, isShort: true });
    expect(answer.ok && answer.value.length).toBe(3 * PAGE_ITEMS);
    expect(readPage).toHaveBeenCalledTimes(4);
  }
  expect((await read([0])).answer).toEqual(down);
});
