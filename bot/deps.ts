import type { Changes } from '#bot/changes.ts';
import type { BotConfiguration } from '#bot/config.ts';
import type { Log } from '#bot/log.ts';
import type { Database } from '#db/database.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import type { Clock } from '#platform/clock.ts';

/** Dependencies shared by every part of the bot's process. */
export interface BotDeps {
  config: BotConfiguration;
  db: Database;
  /** Domain time. Heartbeats, tokens, deadlines and claims of rows use system time; leases use the database's. */
  clock: Clock;
  changes: Changes;
  vault: Vault;
  log: Log;
  /** The version of this installation. */
  version: string;
}

/** The state of a part of the process, for /readyz and the log. `off`: nothing is configured for it. */
export interface PartReport {
  state: 'ready' | 'off' | 'starting' | 'faulty';
  detail?: string;
}

/** A started part of the process: Steam, Twitch. */
export interface BotPart {
  report(): Record<string, PartReport>;
  /** Checks for work now; called after new work was written. */
  nudge(): void;
  /** Finishes or releases the work under way. */
  stop(): Promise<void>;
}
