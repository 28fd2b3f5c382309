import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { untilDone } from '#tests/support/until-done.ts';

const run = promisify(execFile);

/** This many web processes run, and as many bots. */
export const EACH = 3;
const LONGEST_DRAIN_MS = 30_000;

/** Ports of this machine that HAProxy listens at and leads to. */
export interface FrontPorts {
  /** People reach the web processes here. */
  front: number;
  webs: number[];
  /** The pooler reaches the server that takes writes here. */
  writable: number;
  servers: number[];
}

/** The examples that operators are given. */
const settingsFiles = ['web', 'postgres'].map((name) =>
  resolve(import.meta.dirname, `../../docs/hosting/haproxy-${name}.cfg`),
);
const at = (port: number | undefined) => `127.0.0.1:${port}`;

export const webName = (n: number) => `web-${n}` as const;

/** HAProxy before the web processes and before the database's servers. */
export class Front {
  readonly #program: string;
  readonly #control: string;
  readonly #settings: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;

  constructor(program: string, folder: string, { front, webs, writable, servers }: FrontPorts) {
    this.#program = program;
    this.#control = join(folder, 'haproxy.sock');
    this.#settings = {
      CONTROL: this.#control,
      NAME: `localhost:${front}`,
      PEOPLE: at(front),
      WRITABLE: at(writable),
      ...Object.fromEntries(webs.map((port, n) => [`WEB_${n + 1}`, at(port)])),
      ...Object.fromEntries(servers.map((port, n) => [`POSTGRES_${n + 1}`, at(port)])),
    };
  }

  async start(): Promise<void> {
    const files = settingsFiles.flatMap((file) => ['-f', file]);
    await run(this.#program, ['-c', ...files], { env: this.#settings });
    this.#child = spawn(this.#program, ['-db', '-q', ...files], {
      env: this.#settings,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    await untilDone(() => this.#command('show info'), { timeoutMs: 30_000 });
  }

  /** Ends it without warning and starts it again. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  destroy = (): void => void this.#child?.kill('SIGKILL');

  /** Sends a web process no more requests, and returns once it has answered those that it has. */
  async drain(name: string): Promise<void> {
    await this.#command(`set server people/${name} state drain`);
    const deadlineMs = Date.now() + LONGEST_DRAIN_MS;
    while (Number((await this.#statusOf(name)).scur) > 0 && Date.now() < deadlineMs) await delay(50);
  }

  /** Sends a web process requests again, once it answers. */
  async undrain(name: string): Promise<void> {
    await this.#command(`set server people/${name} state ready`);
    await untilDone(async () => {
      const { status } = await this.#statusOf(name);
      if (status !== 'UP') throw new Error(`${name} is ${status}`);
    });
  }

  async #statusOf(name: string): Promise<Record<string, string | undefined>> {
    const [head = '', ...lines] = (await this.#command('show stat')).split('\n');
    const names = head.replace('# ', '').split(',');
    const line = lines.find((each) => each.startsWith(`people,${name},`))?.split(',') ?? [];
    return Object.fromEntries(names.map((each, place) => [each, line[place]]));
  }

  #command(line: string): Promise<string> {
    return new Promise((done, fail) => {
      let said = '';
      const socket = connect(this.#control, () => socket.end(`${line}\n`));
      socket.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
      socket.once('error', fail).once('end', () => done(said));
    });
  }
}
