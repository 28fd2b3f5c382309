import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { momentQueue, type NextMoment } from '#app/overlay/moment-queue.ts';
import { compileForOverlays } from '#app/overlay/overlay-files.ts';
import type { ShownMoment } from '#app/overlay/protocol.ts';
import { takeEvents } from '#app/overlay/stream.ts';
import { serve } from '#app/overlay/worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'keepsake-floor-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compiled = (name: string, source: string) => {
  const file = join(folder, name);
  writeFileSync(file, source);
  return () => compileForOverlays(file);
};

test('Overlays are compiled for Chrome 103, and load at most 30 KiB', () => {
  const files = ['main.ts', 'overlay.css'].map((name) => compileForOverlays(`app/overlay/${name}`));
  const bytes = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThan(30 * 1024);
  expect(() => compileForOverlays('app/overlay/dock.css')).not.toThrow();
});

test.each([
  ['An array method of 110', 'console.log([2, 1].toSorted());', 'toSorted'],
  ['A promise of 119', 'export const made = Promise.withResolvers();', 'withResolvers'],
  ['A static method of 128', 'Promise.try(() => 1);', 'Promise.try'],
  [
    'A stream that is iterated',
    'export async function read() { for await (const part of fetch) console.log(part); }',
    'for await',
  ],
  ['A page method behind a string', "console.log('startViewTransition' in document);", 'startViewTransition'],
])('%s fails in the build', (_, source, newer) => {
  expect(compiled('newer.ts', source)).toThrow(/does not have: /);
  expect(compiled('newer.ts', source)).toThrow(newer);
});

test.each([
  [':has', 'a:has(b) { color: red; }', ':has'],
  ['oklch', 'a { color: oklch(0.7 0.1 200); background: color-mix(in oklab, red, blue); }', 'color-mix()'],
  ['A starting style', '@starting-style { a { opacity: 0; } }', '@starting-style'],
  ['Units of a container', 'a { width: 3cqw; }', 'cqw'],
  ['A container', 'a { container-type: size; }', 'container-type'],
  ['A colour made from another', 'a { color: rgb(from red r g b); }', 'from'],
  ['A condition about scripts', '@media (scripting: none) { a { color: red; } }', 'scripting'],
  ['A range in a condition', '@media (width >= 400px) { a { color: red; } }', '@media'],
  ['The shape of a border', 'a { border-shape: circle(); }', 'border-shape'],
  ['light-dark', 'a { color: light-dark(#fff, #000); }', 'light-dark()'],
])('%s fails in the build', (_, source, newer) => {
  expect(compiled('newer.css', source)).toThrow(newer);
});

test('The script uses of the language what came with 2022', () => {
  const program = ts.createProgram(['app/overlay/main.ts'], {
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
  });
  const found = ts.getPreEmitDiagnostics(program);
  expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
});

test('The script is a worker too, which has no document', () => {
  const scope: Record<string, unknown> = {
    URLSearchParams,
    location: { search: '' },
    setInterval: () => 0,
  };
  scope.self = scope;
  runInNewContext(compileForOverlays('app/overlay/main.ts'), scope);
  expect(scope.onconnect).toBeTypeOf('function');
});

test('Nesting is compiled away', () => {
  expect(compiled('nested.css', 'a { color: red; & b { color: blue; } }')()).toBe(
    'a{color:red}a b{color:#00f}\n',
  );
});

describe('The queue of moments', () => {
  const moment = (id: string): ShownMoment => ({
    id,
    kind: 'earned',
    name: null,
    item: { name: 'Demo case', iconUrl: '', rarityTag: '' },
    ruleName: 'Rule',
  });
  function stage() {
    const played: NextMoment[] = [];
    let leave = () => {};
    const queue = momentQueue({
      later: (wake) => wake(),
      play(next, done) {
        played.push(next);
        leave = done;
      },
    });
    return { queue, played: () => played.map(({ id, more }) => [id, more]), leave: () => leave() };
  }

  test('Moments come one after another', () => {
    const { queue, played, leave } = stage();
    for (const id of ['a', 'b']) queue.push(moment(id));
    expect(played()).toEqual([['a', 0]]);
    leave();
    leave();
    queue.push(moment('c'));
    expect(played()).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
  });

  test('Of ten, five wait behind the first, and the last of them says “and 4 more”', () => {
    const { queue, played, leave } = stage();
    for (const id of 'abcdefghij') queue.push(moment(id));
    for (let left = 0; left < 8; left++) leave();
    expect(played()).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 0],
      ['d', 0],
      ['e', 0],
      ['f', 4],
    ]);
  });

  test('What was dropped is never shown', () => {
    const { queue, played, leave } = stage();
    for (const id of 'abcdefgh') queue.push(moment(id));
    queue.drop();
    leave();
    queue.push(moment('z'));
    expect(played()).toEqual([
      ['a', 0],
      ['z', 0],
    ]);
  });
});

describe('The worker that pages share', () => {
  const asked: string[] = [];
  let answer: () => Promise<Response>;
  const never = () => new Promise<Response>(() => {});
  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = 0;
    answer = never;
    vi.stubGlobal('fetch', (_: string, { headers }: { headers: Record<string, string> }) => {
      asked.push(headers['Overlay-Keys'] ?? '');
      return answer();
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  function openPage() {
    const scope: Parameters<typeof serve>[0] = { onconnect: null };
    serve(scope, '/overlay/events');
    const notices: unknown[] = [];
    const port = {
      postMessage: (message: unknown) => void notices.push(message),
      onmessage: (_: { data: unknown }) => {},
    };
    scope.onconnect?.({ ports: [port] } as never);
    const say = (data: unknown) => port.onmessage({ data });
    say({ door: 'overlay', secret: 'a' });
    return { notices, say };
  }

  test('A page that was silent for long is followed again as soon as it speaks', async () => {
    const { notices, say } = openPage();
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(asked).toEqual([]);
    say('here');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(asked).toEqual(['overlay:a']);
    expect(notices).toEqual(['here']);
  });

  test('Only our own 404 blanks a page: a proxy answers one as well while the web process starts', async () => {
    answer = async () => new Response(null, { status: 404 });
    const { notices } = openPage();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(notices).toEqual([]);
    expect(asked.length).toBeGreaterThan(1);
    answer = async () => new Response(null, { status: 404, headers: { 'Overlay-Gone': '1' } });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(notices).toEqual([{ kind: 'gone' }]);
  });

  test('A stream that always ends before it tells anything is asked ever less often', async () => {
    answer = async () => new Response('retry: 2000\n\n');
    openPage();
    await vi.advanceTimersByTimeAsync(120_000);
    asked.length = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked.length).toBeLessThan(10);
  });
});

test('A stream is read event by event, wherever its pieces end', () => {
  const text = 'retry: 2000\n\n: here\n\nid: 7\ndata: {"a":1}\n\ndata: {"b"';
  expect(takeEvents(text)).toEqual({ events: [{ id: '7', data: '{"a":1}' }], rest: 'data: {"b"' });
  expect(takeEvents('data: {"b":2}\n\n')).toEqual({ events: [{ id: '', data: '{"b":2}' }], rest: '' });
});
