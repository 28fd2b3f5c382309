import { type Door, KEYS_HEADER, MAX_KEYS, type Told } from './protocol.ts';

/** A page: what it was opened with, and how it is told. */
export interface Source {
  door: Door;
  secret: string;
  tell: (told: Told) => void;
}

/** Without a sign of life for so long a connection is dead: the server writes every 20 s. */
const SILENT_MS = 50_000;
const LOOK_MS = 10_000;
const FIRST_WAIT_MS = 400;
const WAIT_MS = 2_000;
/** After this long without an answer it is asked less often. */
const PATIENT_MS = 60_000;
const LONG_WAIT_MS = 15_000;
const MAX_REMEMBERED = 500;

type Known = { [Kind in 'setup' | 'board']?: Extract<Told, { kind: Kind }> };

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
export function openStream(address: string) {
  const sources = new Set<Source>();
  const known = new Map<string, Known>();
  const seen = new Set<string>();
  let lastId = '';
  let carried: string[] = [];
  let connection: AbortController | null = null;
  let waiting = 0;
  let lostAtMs = 0;
  let heardAtMs = 0;

  const tell = (key: string, told: Told) => {
    for (const source of [...sources]) if (keyOf(source) === key) source.tell(told);
  };

  const receive = (key: string, told: Told, id: string) => {
    if (told.kind === 'moment') {
      const once = `${key} ${told.moment.id}`;
      if (seen.has(once)) return;
      seen.add(once);
      if (seen.size > MAX_REMEMBERED) seen.delete([...seen][0] as string);
    } else if (told.kind === 'gone') {
      known.delete(key);
      tell(key, told);
      for (const source of [...sources]) if (keyOf(source) === key) sources.delete(source);
      if (sources.size === 0) connection?.abort();
      return;
    } else known.set(key, { ...known.get(key), [told.kind]: told });
    if (id > lastId) lastId = id;
    tell(key, told);
  };

  const read = async (body: ReadableStream<Uint8Array>) => {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heardAtMs = Date.now();
      const { events, rest } = takeEvents(text + decoder.decode(value, { stream: true }));
      text = rest;
      for (const { id, data } of events) {
        const { to, ...told } = JSON.parse(data) as Told & { to: number };
        const key = carried[to];
        if (key !== undefined) receive(key, told as Told, id);
      }
    }
  };

  const later = () => {
    connection = null;
    if (sources.size === 0) return;
    lostAtMs = lostAtMs || Date.now();
    const lost = Date.now() - lostAtMs;
    const ms = lost < 1_000 ? FIRST_WAIT_MS : lost < PATIENT_MS ? WAIT_MS : LONG_WAIT_MS;
    clearTimeout(waiting);
    waiting = setTimeout(connect, spread(ms)) as unknown as number;
  };

  const connect = async () => {
    carried = [...new Set([...sources].map(keyOf))].slice(0, MAX_KEYS);
    if (carried.length === 0) return;
    const own = new AbortController();
    connection = own;
    heardAtMs = Date.now();
    try {
      const headers: Record<string, string> = { [KEYS_HEADER]: carried.join(',') };
      if (lastId !== '') headers['Last-Event-ID'] = lastId;
      const answer = await fetch(address, { headers, signal: own.signal, cache: 'no-store' });
      if (answer.status === 404) for (const key of carried) receive(key, { kind: 'gone' }, '');
      if (answer.status === 200 && answer.body) {
        lostAtMs = 0;
        await read(answer.body);
      }
    } catch {
      // The connection is lost: nothing is shown, and it is opened again.
    }
    if (connection === own) later();
  };

  const again = () => {
    const old = connection;
    connection = null;
    old?.abort();
    clearTimeout(waiting);
    waiting = setTimeout(connect, 50) as unknown as number;
  };

  setInterval(() => {
    if (connection && Date.now() - heardAtMs > SILENT_MS) again();
  }, LOOK_MS);

  return {
    add(source: Source): void {
      sources.add(source);
      const { setup, board } = known.get(keyOf(source)) ?? {};
      if (setup) source.tell(setup);
      if (board) source.tell(board);
      if (!carried.includes(keyOf(source)) || !connection) again();
    },
    remove(source: Source): void {
      sources.delete(source);
    },
  };
}
