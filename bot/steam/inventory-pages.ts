import type { z } from 'zod';
import { inventoryItemsOf, type inventoryPage } from '#bot/steam/inventory-item.ts';
import type { Visitor } from '#bot/steam/limiters.ts';
import type {
  InventoryAnswer,
  InventoryItem,
  InventoryVisitor,
  SteamAnswer,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { minute } from '#domain/kernel/time.ts';

/** More pages than any inventory has; one without an end counts as no answer. */
const MAX_PAGES = 100;
/** After the first page nobody waits for a request any more, so a page may wait longer for its turn. */
const LATER_PAGE_WAIT_MS = minute;

type Page = z.output<typeof inventoryPage>;

interface Wanted {
  appId: number;
  contextId: string;
  /** The inventory is the bot's own, of which Steam shows everything. */
  isOwn: boolean;
  visitor?: InventoryVisitor | undefined;
}

/**
 * Reads an inventory page by page; each page has a deadline of its own. A page that fails ends the reading, which
 * keeps those before it and counts as short, so that it proves nothing absent.
 */
export async function readInventoryPages(
  readPage: (start: string, visitor?: Visitor) => Promise<SteamAnswer<Page>>,
  { appId, contextId, isOwn, visitor }: Wanted,
): Promise<InventoryAnswer> {
  const items: InventoryItem[] = [];
  let start = '';
  let isShort = false;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await readPage(start, page === 0 ? visitor : laterOf(visitor));
    if (!answer.ok) return items.length > 0 ? { ok: true, value: items, isShort: true } : answer;
    items.push(...inventoryItemsOf(answer.value, appId, contextId));
    isShort ||= answer.value.assets.unreadable > 0;
    const total = answer.value.total_inventory_count ?? null;
    if (isOwn && items.length === 0 && total)
      return failure('steamUnavailable', 'later', 'an inventory with a total, but without assets');
    if (!answer.value.more_items || !answer.value.last_assetid) {
      isShort ||= isOwn && items.length < (total ?? 0);
      return { ok: true, value: items, ...(isShort && { isShort }) };
    }
    visitor?.onPage?.([...items], total);
    start = answer.value.last_assetid;
  }
  return failure('steamUnavailable', 'later', 'the inventory does not end');
}

const laterOf = (visitor: Visitor | undefined): Visitor | undefined =>
  visitor && { ...visitor, maxWaitMs: Math.max(visitor.maxWaitMs, LATER_PAGE_WAIT_MS) };
