import { browserNow, type Door, KEYS_HEADER, MAX_KEYS, MISSING_HEADER, type Notice } from './protocol.ts';

/** A page: what it was opened with, and how it is told. */
export interface Source {
  door: Door;
  secret: string;
  notify: (notice: Notice) => void;
}

/** Without a sign of life for so long a connection is dead: the server writes at least every 25 s. */
const SILENT_MS = 50_000;
const CHECK_MS = 10_000;
const FIRST_WAIT_MS = 400;
const WAIT_MS = 2_000;
/** After this long without an answer it is asked less often. */
const PATIENT_MS = 60_000;
const LONG_WAIT_MS = 15_000;
/** Pages that open together go into one stream. */
const TOGETHER_MS = 50;
const MAX_REMEMBERED = 500;

type Known = { [Kind in 'setup' | 'board' | 'raffle']?: Extract<Notice, { kind: Kind }> };

const keyOf = ({ door, secret }: Source) => `${door}:${secret}`;
const spread = (ms: number) => ms * (0.5 + Math.random() / 2);

/** Reads the events of a stream; the last part may still be incomplete. */
export function takeEvents(text: string): { events: { id: string; data: string }[]; rest: string } {
  const parts = text.split('\n\n');
  const rest = parts.pop() ?? '';
  const events = parts.flatMap((part) => {
    const lines = part.split('\n');
    const field = (name: string) => lines.find((line) => line.startsWith(name))?.slice(name.length) ?? '';
    const data = field('data: ');
    return data === '' ? [] : [{ id: field('id: '), data }];
  });
  return { events, rest };
}

/**
 * The one stream of a browser, for all its pages: a browser opens six connections to a host, and more would wait
 * without a word. It opens again by itself, and tells nothing twice.
 */
export class EventStream {
  readonly #address: string;
  readonly #sources = new Set<Source>();
  readonly #known = new Map<string, Known>();
  readonly #seen = new Set<string>();
  #lastId = '';
  #carried: string[] = [];
  #connection: AbortController | null = null;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #lostAtMs = 0;
  #receivedAtMs = 0;

  constructor(address: string) {
    this.#address = address;
    setInterval(() => {
      if (this.#connection && performance.now() - this.#receivedAtMs > SILENT_MS) this.#again();
    }, CHECK_MS);
  }

  add(source: Source): void {
    const key = keyOf(source);
    this.#sources.add(source);
    const { setup, board, raffle } = this.#known.get(key) ?? {};
    for (const notice of [setup, board, raffle]) if (notice) source.notify(notice);
    if (!this.#carried.includes(key) || !this.#connection) this.#again();
  }

  remove(source: Source): void {
    this.#sources.delete(source);
  }

  #receive(key: string, notice: Notice, id: string): void {
    if (notice.kind === 'moment') {
      if (!this.#isFirst(`${key} ${notice.moment.id}`)) return;
    } else if (notice.kind === 'gone') this.#known.delete(key);
    else this.#known.set(key, { ...this.#known.get(key), [notice.kind]: notice });
    if (id > this.#lastId) this.#lastId = id;
    for (const source of [...this.#sources]) {
      if (keyOf(source) !== key) continue;
      source.notify(notice);
      if (notice.kind === 'gone') this.#sources.delete(source);
    }
    if (this.#sources.size === 0) this.#connection?.abort();
  }

  #isFirst(moment: string): boolean {
    if (this.#seen.has(moment)) return false;
    this.#seen.add(moment);
    if (this.#seen.size > MAX_REMEMBERED) this.#seen.delete([...this.#seen][0] as string);
    return true;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      this.#receivedAtMs = performance.now();
      const { events, rest } = takeEvents(text + decoder.decode(value, { stream: true }));
      text = rest;
      // A stream that ends before it tells anything is no connection.
      if (events.length > 0) this.#lostAtMs = 0;
      for (const { id, data } of events) {
        const { to, ...notice } = JSON.parse(data) as Notice & { to: number };
        const key = this.#carried[to];
        if (notice.kind === 'raffle') notice.gotAtMs = browserNow();
        if (key !== undefined) this.#receive(key, notice as Notice, id);
      }
    }
  }

  async #connect(): Promise<void> {
    this.#carried = [...new Set([...this.#sources].map(keyOf))].slice(0, MAX_KEYS);
    if (this.#carried.length === 0) return;
    const own = new AbortController();
    this.#connection = own;
    this.#receivedAtMs = performance.now();
    try {
      const headers: Record<string, string> = { [KEYS_HEADER]: this.#carried.join(',') };
      if (this.#lastId !== '') headers['Last-Event-ID'] = this.#lastId;
      const answer = await fetch(this.#address, { headers, signal: own.signal, cache: 'no-store' });
      if (answer.status === 404 && answer.headers.has(MISSING_HEADER))
        for (const key of this.#carried) this.#receive(key, { kind: 'gone' }, '');
      if (answer.status === 200 && answer.body) await this.#read(answer.body);
    } catch {
      // The connection is lost: nothing is shown, and it is opened again.
    }
    if (this.#connection === own) this.#later();
  }

  /** Opens again after a while, which is longer the longer nobody answers. */
  #later(): void {
    this.#connection = null;
    if (this.#sources.size === 0) return;
    this.#lostAtMs ||= performance.now();
    const lost = performance.now() - this.#lostAtMs;
    const ms = lost < 1_000 ? FIRST_WAIT_MS : lost < PATIENT_MS ? WAIT_MS : LONG_WAIT_MS;
    this.#wait(spread(ms));
  }

  /** Opens again at once, with the sources that there are now. */
  #again(): void {
    const old = this.#connection;
    this.#connection = null;
    old?.abort();
    this.#wait(TOGETHER_MS);
  }

  #wait(ms: number): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => void this.#connect(), ms);
  }
}
