import type { ListedBot } from './list-bots.ts';

/**
 * Returns whether it matters that a bot is away. The row of a renamed or retired bot stays for its history.
 * It matters only while the bot holds items, has transfers under way, is used by a process, or is among the
 * `configured` accounts (their names; null if they cannot be read).
 */
export const isBotInUse = (
  { id, items, transfers, isUsed }: ListedBot,
  configured: readonly string[] | null,
): boolean => items > 0 || transfers > 0 || isUsed || (configured?.includes(id) ?? false);
