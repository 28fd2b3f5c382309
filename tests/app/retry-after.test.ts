import { readFileSync } from 'node:fs';
import { createRequestHandler } from 'react-router';
import { expect, test } from 'vitest';
import * as entry from '#app/entry.server.tsx';
import routes from '#app/routes.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();
const { site } = await import('./support/site.ts');
const handle = createRequestHandler(site, 'production');

type Entry = { file: string; children?: Entry[] };
const filesOf = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ file, children = [] }) => [file, ...filesOf(children)]);

/** Other routes without a page are not read by our scripts; their answers keep their headers. */
const isRead = (file: string) => file.endsWith('.tsx') || file === 'routes/rules/dry-run.ts';

/** Routes that can answer 429 with data. */
const waiting = [...new Set(filesOf((await routes) as Entry[]))].filter(
  (file) =>
    isRead(file) &&
    /\b(replyTooMany|replyUnproven|tooManyInit|status: 429)\b/.test(readFileSync(`app/${file}`, 'utf8')),
);

test.each(waiting)('%s says how long to wait, also with its data', async (file) => {
  const module = (await import(/* @vite-ignore */ `../../app/${file}`)) as {
    headers?: (args: { actionHeaders: Headers; loaderHeaders: Headers }) => Headers;
    default?: unknown;
  };
  const refusal = new Headers({ 'Retry-After': '90' });
  const sent = (which: object) =>
    module.headers?.({ actionHeaders: new Headers(), loaderHeaders: new Headers(), ...which });
  const ways = module.default === undefined ? [{ loaderHeaders: refusal }] : [{ actionHeaders: refusal }];
  for (const way of ways) expect(sent(way)?.get('Retry-After')).toBe('90');
  expect(sent({})?.has('Retry-After')).toBe(false);
});

test.each(['/auth/signin', '/auth/signin.data'])('%s says so to whoever guesses passwords', async (path) => {
  const { address } = new Visitor();
  const send = () =>
    handle(
      new Request(`http://localhost:3000${path}`, {
        method: 'POST',
        headers: { Host: 'localhost:3000', Origin: 'http://localhost:3000' },
        body: new URLSearchParams({ email: 'guessed@example.org', password: 'a wrong sentence' }),
      }),
      entry.createLoadContext({ address }),
    );
  let answer = await send();
  for (let tried = 1; tried <= 10; tried++) answer = await send();
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(800);
});
