import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const places = ['/usr/bin/firefox-esr', '/usr/bin/firefox'];

/** The Firefox of this machine; null if it has none. */
export const findFirefox = (): string | null =>
  process.env.FIREFOX_PATH ?? places.find((path) => existsSync(path)) ?? null;

type Result = Record<string, unknown>;

/** Reads from Firefox's own log where its WebDriver BiDi listens. */
async function addressIn(child: ChildProcess): Promise<string> {
  if (!child.stderr) throw new Error('Firefox has no log');
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address) {
      child.stderr.resume();
      return address;
    }
  }
  throw new Error('Firefox did not start');
}

/** Commands to Firefox by WebDriver BiDi, which it speaks by itself. */
class Wire {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Result) => void>();
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (bytes) => {
      const answer = JSON.parse(String(bytes)) as Result;
      const id = Number(answer.id);
      this.#waiting.get(id)?.(answer);
      this.#waiting.delete(id);
    });
  }

  static async open(address: string): Promise<Wire> {
    const socket = new WebSocket(address);
    await new Promise((done, fail) => socket.once('open', done).once('error', fail));
    return new Wire(socket);
  }

  async send(method: string, params: object): Promise<Result> {
    const id = ++this.#last;
    const answered = new Promise<Result>((answer) => this.#waiting.set(id, answer));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { type, result, error, message } = await answered;
    if (type !== 'success') throw new Error(`${method}: ${String(error)}: ${String(message)}`);
    return result as Result;
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** A page in a tab of its own. */
export class FirefoxPage {
  readonly #wire: Wire;
  readonly #context: string;

  constructor(wire: Wire, context: string) {
    this.#wire = wire;
    this.#context = context;
  }

  open(url: string): Promise<Result> {
    return this.#wire.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The value of an expression in the page, as text. */
  async read(expression: string): Promise<string> {
    const { result, exceptionDetails } = await this.#wire.send('script.evaluate', {
      expression: `String(${expression})`,
      target: { context: this.#context },
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return String((result as Result).value);
  }

  /** The text of an element, and of what it shows in a root of its own; empty if there is none. */
  text(selector: string): Promise<string> {
    const found = `document.querySelector(${JSON.stringify(selector)})`;
    return this.read(`(${found}?.shadowRoot ?? ${found})?.textContent ?? ''`);
  }

  /** Presses the left button of the mouse in the middle of an element, as a hand does. */
  async press(selector: string): Promise<void> {
    const { nodes } = (await this.#wire.send('browsingContext.locateNodes', {
      context: this.#context,
      locator: { type: 'css', value: selector },
    })) as { nodes: { sharedId: string }[] };
    const [node] = nodes;
    if (!node) throw new Error(`nothing to press: ${selector}`);
    await this.read(`document.querySelector(${JSON.stringify(selector)}).scrollIntoView()`);
    const origin = { type: 'element', element: { sharedId: node.sharedId } };
    await this.#wire.send('input.performActions', {
      context: this.#context,
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          actions: [
            { type: 'pointerMove', x: 0, y: 0, origin },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    });
  }

  /** Types into a field that is empty. */
  async type(selector: string, text: string): Promise<void> {
    await this.press(selector);
    const actions = [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    await this.#wire.send('input.performActions', {
      context: this.#context,
      actions: [{ type: 'key', id: 'keys', actions }],
    });
  }
}

/** A Firefox without a window, with a profile of its own. */
export class Firefox {
  readonly #child: ChildProcess;
  readonly #wire: Wire;
  readonly #profile: string;

  private constructor(child: ChildProcess, wire: Wire, profile: string) {
    this.#child = child;
    this.#wire = wire;
    this.#profile = profile;
  }

  static async open(executable: string, { proxy, preferences }: { proxy: string; preferences: Result }) {
    const profile = mkdtempSync(join(tmpdir(), 'keepsake-firefox-'));
    const lines = Object.entries(preferences).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
    );
    writeFileSync(join(profile, 'user.js'), lines.join(''));
    const child = spawn(
      executable,
      [
        '--headless',
        '--no-remote',
        '--profile',
        profile,
        '--remote-debugging-port',
        '0',
        '--remote-allow-system-access',
      ],
      {
        env: { ...process.env, HOME: profile },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const wire = await Wire.open(`${await addressIn(child)}/session`);
    const firefox = new Firefox(child, wire, profile);
    const alwaysMatch = {
      acceptInsecureCerts: true,
      proxy: { proxyType: 'manual', sslProxy: new URL(proxy).host, noProxy: ['127.0.0.1'] },
    };
    await wire.send('session.new', { capabilities: { alwaysMatch } });
    return firefox;
  }

  async install(folder: string): Promise<void> {
    await this.#wire.send('webExtension.install', { extensionData: { type: 'path', path: folder } });
  }

  async setCookie({
    name,
    value,
    domain,
    path,
    secure,
  }: Record<'name' | 'value' | 'domain' | 'path', string> & { secure: boolean }) {
    await this.#wire.send('storage.setCookie', {
      cookie: { name, value: { type: 'string', value }, domain, path, secure },
    });
  }

  async newPage(): Promise<FirefoxPage> {
    const { context } = await this.#wire.send('browsingContext.create', { type: 'tab' });
    return new FirefoxPage(this.#wire, String(context));
  }

  async close(): Promise<void> {
    this.#wire.close();
    const ended = new Promise((done) => this.#child.once('exit', done));
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
