import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { endAllLeases } from '#tests/support/leases.ts';
import { bundleOf } from '#tests/support/processes.ts';
import type { SteamStage } from '#tests/support/steam-stage.ts';

export interface BotProcess {
  child: ChildProcess;
  /** Immediately, like a power cut. */
  kill(): void;
  /** Its log, as JSON lines. */
  output(): string;
  ended: Promise<{ code: number | null; signal: string | null }>;
}

/** Runs bot/main.ts as a separate process with the stage's Steam and database. */
export function spawnBot(
  stage: SteamStage,
  accounts: readonly SteamCredentials[] = [stage.credentials],
  variables: NodeJS.ProcessEnv = {},
): BotProcess {
  const botsFile = join(stage.folder, 'steam-bots.json');
  writeFileSync(botsFile, JSON.stringify(accounts));
  const child = spawn(process.execPath, [bundleOf('bot')], {
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      BOT_PORT: '0',
      KEEPSAKE_DATA_DIR: stage.folder,
      ENCRYPTION_KEY: stage.encryptionKey,
      STEAM_BOTS_FILE: botsFile,
      STEAM_HTTP_PROXY: stage.steam.proxyUrl,
      LOG_LEVEL: 'debug',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const kill = () => void child.kill('SIGKILL');
  onTestFinished(async () => {
    kill();
    await ended;
  });
  return { child, kill, output: () => output, ended };
}

/** Advances time until a dead process's leases have ended. */
export const letLeaseRunOut = ({ db }: SteamStage): Promise<unknown> => endAllLeases(db);
