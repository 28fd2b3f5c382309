import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '../..');
const endWithUs = pathToFileURL(join(root, 'build/end-with-parent.js')).href;
const bundles = { sandbox: 'build/sandbox/main.js', web: 'build/web.js', bot: 'build/bot.js' } as const;
type Kind = keyof typeof bundles;
/** Of several of a kind, each has a number; the kind's own name then means all of them. */
export type ProcessName = Kind | `${Exclude<Kind, 'sandbox'>}-${number}`;
const kindOf = (name: ProcessName): Kind => name.split('-')[0] as Kind;
const HEALTHY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 20_000;

/** The product's processes and the sandbox, started as by the supervisor, but killable one by one. */
export class Processes {
  readonly #folder: string;
  readonly #running = new Map<ProcessName, ChildProcess>();
  readonly #starts = new Map<ProcessName, { env: NodeJS.ProcessEnv; installation: string }>();
  readonly #expected = new Set<ChildProcess>();
  #isOver = false;
  /** Processes that ended on their own. */
  readonly died: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  logOf = (name: ProcessName) => join(this.#folder, `${name}.log`);

  /** Starts a process of the build in a folder with these settings, or without any as the last time. */
  start(name: ProcessName, given?: Record<string, string>, installation = root): void {
    if (this.#isOver) return;
    if (given)
      this.#starts.set(name, {
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...given },
        installation,
      });
    for (const each of given ? [name] : this.#meant(name)) this.#startOne(each);
  }

  /** Has a process start from the build in another folder from now on. */
  upgrade(name: ProcessName, installation: string): void {
    const start = this.#starts.get(name);
    if (start) this.#starts.set(name, { ...start, installation });
  }

  #meant(name: ProcessName): ProcessName[] {
    return [...this.#starts.keys()].filter((each) => each === name || kindOf(each) === name);
  }

  #startOne(name: ProcessName): void {
    const { env, installation } = this.#starts.get(name) ?? {};
    if (!installation) throw new Error(`${name} was never started`);
    const log = openSync(this.logOf(name), 'a');
    const child = spawn(process.execPath, ['--import', endWithUs, bundles[kindOf(name)]], {
      cwd: installation,
      env,
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    this.#running.set(name, child);
    child.once('exit', (code, signal) => {
      if (this.#isOver || this.#expected.has(child)) return;
      this.died.push(`${name} ended by itself (${signal ?? code}): ${this.#lastLines(name)}`);
      this.#startOne(name);
    });
  }

  /** The current process's id. */
  pidOf(name: ProcessName): number {
    const pid = this.#running.get(name)?.pid;
    if (!pid) throw new Error(`${name} does not run`);
    return pid;
  }

  /** Immediately, like a power cut. */
  kill = (name: ProcessName) => this.#endAll(name, 'SIGKILL');

  /** As an operator stops it. A process that does not react is killed. */
  async stop(name: ProcessName): Promise<void> {
    const killing = setTimeout(() => void this.#endAll(name, 'SIGKILL'), STOP_WITHIN_MS);
    await this.#endAll(name, 'SIGTERM');
    clearTimeout(killing);
  }

  /** Stops all for good: none is started again. */
  async stopAll(): Promise<void> {
    this.#isOver = true;
    await Promise.all(['bot', 'web'].map((name) => this.stop(name as ProcessName)));
    await this.stop('sandbox');
  }

  /** Kills all for good, without waiting for their ends. */
  killAll(): void {
    this.#isOver = true;
    for (const { pid, exitCode, signalCode } of this.#running.values())
      if (pid && exitCode === null && signalCode === null) signalGroup(pid, 'SIGKILL');
  }

  async #endAll(name: ProcessName, signal: NodeJS.Signals): Promise<void> {
    await Promise.all(this.#meant(name).map((each) => this.#end(each, signal)));
  }

  async #end(name: ProcessName, signal: NodeJS.Signals): Promise<void> {
    const child = this.#running.get(name);
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    this.#expected.add(child);
    const ended = once(child, 'exit');
    signalGroup(child.pid, signal);
    await ended;
  }

  async untilHealthy(name: ProcessName, url: string, headers: Record<string, string> = {}): Promise<void> {
    const deadlineMs = Date.now() + HEALTHY_WITHIN_MS;
    while (Date.now() < deadlineMs) {
      const answer = await fetch(url, { headers, signal: AbortSignal.timeout(2000) }).catch(() => null);
      if (answer?.ok) return;
      await delay(250);
    }
    throw new Error(`${name} is not healthy: ${this.#lastLines(name)}`);
  }

  #lastLines(name: ProcessName): string {
    const lastOf = (each: ProcessName) =>
      readFileSync(this.logOf(each), 'utf8').trim().split('\n').slice(-5).join('\n');
    return this.#meant(name).map(lastOf).join('\n');
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has just ended.
  }
}
