import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The supervisor's facts about a bot process that ended, until it answers again. System time. */
export interface BotAway {
  /** The number of ends in a row, each soon after the start. */
  failures: number;
  endedAtMs: number;
  nextStartAtMs: number;
  /** The way in which it ended, and the last error that it logged. */
  reason: string;
}

const fileIn = (dataFolder: string) => join(dataFolder, 'bot-away.json');

/** So long after its next start was due, the bot runs: had it ended again, the supervisor would have noted that. */
const STALE_AFTER_MS = 5 * 60_000;

/** Reads why the bot process is away; null if it runs, or if no supervisor watches it. */
export function readBotAway(dataFolder: string, systemMs: number = Date.now()): BotAway | null {
  try {
    const away = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8')) as BotAway;
    return away.nextStartAtMs + STALE_AFTER_MS < systemMs ? null : away;
  } catch {
    return null;
  }
}

/** Tells the web process why the bot is away, or with null that it is back. */
export function recordBotAway(dataFolder: string, away: BotAway | null): void {
  const file = fileIn(dataFolder);
  if (away === null) {
    rmSync(file, { force: true });
    return;
  }
  writeFileSync(`${file}.new`, JSON.stringify(away), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
