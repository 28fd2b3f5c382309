import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';

export type Web = { process: ChildProcess; url: string };

/** The real web process: a child with its own variables and port. It serves the bundle, which is built if there is none. */
export async function startWeb(settings: Record<string, string>): Promise<Web> {
  if (!existsSync('build/server/index.js'))
    execFileSync('npx', ['react-router', 'build'], { stdio: 'ignore' });
  const child = spawn(process.execPath, ['--import', 'tsx', 'app/main.ts'], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { msg: string; url: string };
    if (said.msg === 'listening') {
      child.stdout.resume();
      return { process: child, url: said.url };
    }
  }
  throw new Error('the web process did not start');
}

export async function stopWeb({ process: child }: Web): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
