import type { ListedBot } from './list-bots.ts';

/**
 * Whether it matters that a bot is away. The row of a renamed or retired one stays for its history: it matters only while
 * it holds items, has transfers under way, is leased by a process, or is among the accounts that are `configured` (their
 * names; null if they cannot be read). System time.
 */
export const isBotInUse = (
  { id, items, transfers, leaseUntilMs }: ListedBot,
  configured: readonly string[] | null,
  systemMs: number,
): boolean => items > 0 || transfers > 0 || leaseUntilMs > systemMs || (configured?.includes(id) ?? false);
