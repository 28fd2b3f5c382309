import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { forwardLines } from './forward-lines.ts';
import type { Log } from './log.ts';
import { Restarts } from './restarts.ts';

type Environment = Record<string, string | undefined>;
/** One of our processes, or a package's program. */
type Command = OurProcess | { program: string; args: string[] };
type OurProcess = keyof typeof processes;

interface StartedSandbox {
  panelUrl: string;
  /** Environment variables that point the product at it. */
  environment: Record<string, string>;
}

/** The source file of each process, used in development, and the bundle `npm run build` makes of it. */
const processes = {
  web: { source: 'app/main.ts', bundle: 'build/web.js' },
  bot: { source: 'bot/main.ts', bundle: 'build/bot.js' },
  sandbox: { source: 'sandbox/main.ts', bundle: 'build/sandbox/main.js' },
  keepsake: { source: 'cli/keepsake.ts', bundle: 'build/keepsake.js' },
  'end-with-parent': { source: 'cli/end-with-parent.ts', bundle: 'build/end-with-parent.js' },
} as const;

const TSX = 'node_modules/.bin/tsx';
/**
 * Node 24 lets the young generation grow to many times this, which costs over 100 MiB per process without saving
 * work. In MiB.
 */
const YOUNG_HEAP = '--max-semi-space-size=16';
const HEALTHY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 15_000;

/** The end of a part without which the others go on. */
export interface Failure {
  failures: number;
  pauseMs: number;
  reason: string;
}

interface Spared {
  ended: (failure: Failure) => void;
  startedAgain: () => void;
}

/**
 * Supervises the processes of one machine. Once all have started, one that ends is started again alone, after growing
 * pauses; one that ends before, or the fifth in five minutes, ends all. The end of one that is spared ends nothing else,
 * however often it ends, and from the first start on. A signal ends them in order.
 */
export class Supervisor {
  readonly #root: string;
  readonly #watching: boolean;
  readonly #restarts: Restarts;
  readonly #log: Log;
  readonly #children = new Map<string, ChildProcess>();
  readonly #spared = new Map<string, Spared>();
  #hasStarted = false;
  #ending: Promise<never> | null = null;

  constructor(options: { root: string; watching: boolean; log: Log; restarts?: Restarts }) {
    this.#root = options.root;
    this.#watching = options.watching;
    this.#log = options.log;
    this.#restarts = options.restarts ?? new Restarts();
  }

  get isEnding(): boolean {
    return this.#ending !== null;
  }

  endOnSignals(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.end(0));
  }

  /** From now on a process that ends is started again. */
  restartFromNowOn(): void {
    this.#hasStarted = true;
  }

  /** Lets the others go on when this part ends, and tells of each end and of each new start. */
  spare(name: string, listener: Spared): void {
    this.#spared.set(name, listener);
  }

  start(
    name: string,
    command: Command,
    environment: Environment,
    stdout: 'inherit' | 'pipe' | 'ignore' = 'inherit',
  ): ChildProcess {
    const spared = this.#spared.get(name);
    if (spared) return this.#startSpared(name, command, environment, spared);
    const child = this.#spawn(name, this.#commandLine(command), environment, ['ignore', stdout, 'inherit']);
    const ended = (death: string, code: number | null) => {
      if (this.isEnding) return;
      const pauseMs = this.#hasStarted ? this.#restarts.pauseAfterDeath(name, performance.now()) : null;
      if (pauseMs !== null) {
        this.#log.error({ part: name, pauseMs }, `${death}; starting it again in ${pauseMs / 1000} s`);
        setTimeout(() => this.#startAgain(name, command, environment), pauseMs);
        return;
      }
      const why = this.#hasStarted ? ', the fifth end within five minutes' : '';
      this.#log.fatal({ part: name }, `${death}${why}; stopping everything`);
      void this.end(code || 1);
    };
    child.once(
      'error',
      (error) => child.pid === undefined && ended(`${name} did not start (${error.message})`, 1),
    );
    child.once('exit', (code, signal) => ended(`${name} ended (${signal ?? `exit code ${code}`})`, code));
    return child;
  }

  #startSpared(name: string, command: Command, environment: Environment, spared: Spared): ChildProcess {
    const startedAtMs = performance.now();
    const child = this.#spawn(name, this.#commandLine(command), environment, ['ignore', 'pipe', 'inherit']);
    const lastWords = child.stdout ? forwardLines(child.stdout) : () => null;
    const ended = (death: string) => {
      if (this.isEnding) return;
      const { failures, pauseMs } = this.#restarts.pauseAfterFailure(name, performance.now() - startedAtMs);
      const reason = [death, lastWords()].filter((words) => words !== null).join('; ');
      this.#log.error(
        { part: name, failures, pauseMs },
        `${reason}; starting it again in ${pauseMs / 1000} s`,
      );
      spared.ended({ failures, pauseMs, reason });
      setTimeout(() => {
        this.#startAgain(name, command, environment);
        if (!this.isEnding) spared.startedAgain();
      }, pauseMs);
    };
    child.once(
      'error',
      ({ message }) => child.pid === undefined && ended(`${name} did not start (${message})`),
    );
    // Later than its exit, so that its last lines have been read.
    child.once('close', (code, signal) => {
      if (child.pid !== undefined) ended(`${name} ended (${signal ?? `exit code ${code}`})`);
    });
    return child;
  }

  /** The sandbox's first line, which it prints to a pipe, was read at its first start. */
  #startAgain(name: string, command: Command, environment: Environment): void {
    if (this.isEnding) return;
    this.start(name, command, environment, name === 'sandbox' ? 'ignore' : 'inherit');
  }

  /** Runs a process to its end and returns its output. One that takes longer than its limit is ended. */
  async run(
    name: OurProcess,
    environment: Environment,
    args: readonly string[] = [],
    limitMs: number | null = null,
  ): Promise<{ ok: boolean; output: string }> {
    const child = this.#spawn(name, [this.#fileOf(name), ...args], environment, ['ignore', 'pipe', 'pipe']);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    if (limitMs !== null) {
      const limit = setTimeout(() => {
        output += `\nIt took longer than ${limitMs / 60_000} minutes and was ended.`;
        if (child.pid) signalGroup(child.pid, 'SIGKILL');
      }, limitMs);
      child.once('close', () => clearTimeout(limit));
    }
    return new Promise((resolve) => {
      child.once('error', ({ message }) => resolve({ ok: false, output: message }));
      child.once('close', (code) => resolve({ ok: code === 0, output }));
    });
  }

  #spawn(name: string, args: string[], environment: Environment, stdio: StdioOptions): ChildProcess {
    const endWithUs = ['--import', pathToFileURL(this.#fileOf('end-with-parent')).href];
    const loader = this.#watching ? ['--import', 'tsx'] : [YOUNG_HEAP];
    const child = spawn(process.execPath, [...loader, ...endWithUs, ...args], {
      cwd: this.#root,
      env: environment as NodeJS.ProcessEnv,
      stdio,
      // Its own process group: Ctrl-C reaches only the supervisor, which ends the children in order.
      detached: true,
    });
    this.#children.set(name, child);
    child.once('exit', () => this.#children.delete(name));
    return child;
  }

  /** Throws if this installation has none. */
  requireSandbox(): void {
    if (!existsSync(this.#fileOf('sandbox')))
      throw new Error(
        'No TWITCH_*, STEAM_* or STRIPE_* variable is set, and this installation comes without the sandbox that would stand in for them. See docs/self-hosting.md.',
      );
  }

  /** Starts the sandbox and returns the environment that points the product at it. */
  async startSandbox(directory: string, environment: Environment): Promise<StartedSandbox> {
    const own = {
      ...environment,
      SANDBOX_DIR: directory,
      LOG_LEVEL: environment.SANDBOX_LOG_LEVEL ?? 'warn',
    };
    const child = this.start('sandbox', 'sandbox', own, 'pipe');
    const ready = new Promise<{ panel: string; environmentFile: string }>((resolve, reject) => {
      child.once('exit', () => reject(new Error('the sandbox did not start')));
      const lines = child.stdout && createInterface({ input: child.stdout });
      lines?.on('line', (line) => line.startsWith('{"ready":true') && resolve(JSON.parse(line)));
    });
    const { panel, environmentFile } = await Promise.race([ready, tooLate('sandbox')]);
    return { panelUrl: panel, environment: JSON.parse(readFileSync(environmentFile, 'utf8')) };
  }

  async untilHealthy(name: string, url: string, headers: Record<string, string> = {}): Promise<void> {
    const deadline = performance.now() + HEALTHY_WITHIN_MS;
    while (performance.now() < deadline && !this.isEnding) {
      if (await isHealthy(url, headers)) return;
      await delay(200);
    }
    throw new Error(`${name} did not become healthy within ${HEALTHY_WITHIN_MS / 1000} seconds`);
  }

  /** Asks until the part's present process is healthy, however late. Returns false once that has ended instead. */
  async untilBack(name: string, url: string, retryMs = 1000): Promise<boolean> {
    const child = this.#children.get(name);
    const isRunning = () => child !== undefined && this.#children.get(name) === child && !this.isEnding;
    while (isRunning()) {
      if (await isHealthy(url)) return isRunning();
      await delay(retryMs);
    }
    return false;
  }

  /** Ends bot and web first, while the sandbox still answers, and then the rest. */
  end(code: number): Promise<never> {
    this.#ending ??= (async () => {
      await Promise.all(['bot', 'web'].map((name) => this.#stop(name)));
      await Promise.all([...this.#children.keys()].map((name) => this.#stop(name)));
      process.exit(code);
    })();
    return this.#ending;
  }

  async #stop(name: string): Promise<void> {
    const child = this.#children.get(name);
    if (!child?.pid || child.exitCode !== null) return;
    const pid = child.pid;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    signalGroup(pid, 'SIGTERM');
    const killing = setTimeout(() => {
      this.#log.error({ part: name }, `${name} did not stop within ${END_WITHIN_MS / 1000} s and is killed`);
      signalGroup(pid, 'SIGKILL');
    }, END_WITHIN_MS);
    await exited;
    clearTimeout(killing);
  }

  #commandLine(command: Command): string[] {
    if (typeof command === 'object') return [join(this.#root, command.program), ...command.args];
    const file = this.#fileOf(command);
    return this.#watching ? [TSX, 'watch', '--clear-screen=false', file] : [file];
  }

  #fileOf(name: OurProcess): string {
    const { source, bundle } = processes[name];
    return join(this.#root, this.#watching ? source : bundle);
  }
}

async function isHealthy(url: string, headers: Record<string, string> = {}): Promise<boolean> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(2000) }).catch(() => null);
  return answer?.ok ?? false;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It ended just now.
  }
}

async function tooLate(name: string): Promise<never> {
  await delay(HEALTHY_WITHIN_MS, undefined, { ref: false });
  throw new Error(`${name} did not become ready within ${HEALTHY_WITHIN_MS / 1000} seconds`);
}
