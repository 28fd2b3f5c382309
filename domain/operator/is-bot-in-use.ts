import { BOT_LEASE_MS } from '#domain/bot/lease-bot.ts';
import { leaseLeftMs } from '#domain/kernel/lease.ts';
import type { ListedBot } from './list-bots.ts';

/**
 * Returns whether it matters that a bot is away. The row of a renamed or retired bot stays for its history.
 * It matters only while the bot holds items, has transfers under way, is leased by a process, or is among the
 * `configured` accounts (their names; null if they cannot be read). System time.
 */
export const isBotInUse = (
  { id, items, transfers, leaseUntilMs }: ListedBot,
  configured: readonly string[] | null,
  systemMs: number,
): boolean =>
  items > 0 ||
  transfers > 0 ||
  leaseLeftMs(leaseUntilMs, BOT_LEASE_MS, systemMs) > 0 ||
  (configured?.includes(id) ?? false);
