// The time that a page takes while a thousand valid webhooks of Stripe come in a burst, relative to the same
// page alone, over HTTP with the built web process: run `npm run build` first. `ratio` is the worst page's,
// over the goal of two.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent, get, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import { openSqlite } from '#db/database.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { webEnvironment } from '#tests/app/support/web-environment.ts';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { fillPagesWorld } from '#tests/benchmarks/pages-world.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';

const GOAL = 2;
const WEBHOOKS = 1000;
/** Number of them that are on their way at once. */
const CONNECTIONS = 20;
const ROUNDS = 3;
const WARM_UP = 30;
const ALONE = 40;
const SECRET = 'whsec_of_the_benchmark';

const pages = [
  { name: 'landing', path: '/', visitor: null },
  { name: 'billing', path: '/billing', visitor: 'streamer' },
  { name: 'dashboard', path: '/dashboard', visitor: 'streamer' },
  { name: 'custody', path: '/items/custody', visitor: 'streamer' },
] as const;
type Name = (typeof pages)[number]['name'];

/** A signed event, as Stripe sends it. */
async function webhook(number: number) {
  const body = JSON.stringify({
    id: `evt_bench${number}`,
    object: 'event',
    type: 'customer.subscription.updated',
    data: {
      object: {
        object: 'subscription',
        id: `sub_bench${number}`,
        customer: `cus_bench${number}`,
        // About as long as a real one.
        metadata: { padding: 'x'.repeat(4000) },
      },
    },
  });
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret: SECRET });
  return { body, signature };
}

function connect(port: number, tokens: { streamer: string }) {
  const forPages = new Agent({ keepAlive: true, maxSockets: 1 });
  const forStripe = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const cookie = `keepsake_session=${encodeURIComponent(Buffer.from(JSON.stringify(tokens.streamer)).toString('base64'))}`;
  const read = async (sent: ReturnType<typeof request>, what: string): Promise<void> => {
    const [answer] = await once(sent, 'response');
    for await (const _ of answer);
    if (answer.statusCode !== 200) throw new Error(`${what} answered ${answer.statusCode}`);
  };
  return {
    /** Returns the time that a page takes, in milliseconds. */
    async page({ path, visitor }: (typeof pages)[number]): Promise<number> {
      const begin = performance.now();
      const headers = { Accept: 'text/html', ...(visitor && { Cookie: cookie }) };
      await read(get({ host: '127.0.0.1', port, path, agent: forPages, headers }), path);
      return performance.now() - begin;
    },
    async send({ body, signature }: Awaited<ReturnType<typeof webhook>>): Promise<void> {
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'Stripe-Signature': signature,
      };
      const path = '/webhooks/stripe';
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', agent: forStripe, headers });
      sent.end(body);
      await read(sent, path);
    },
    close() {
      forPages.destroy();
      forStripe.destroy();
    },
  };
}

async function startWeb(folder: string) {
  const port = await findFreePorts(1);
  const child = spawn(process.execPath, ['build/web.js'], {
    env: {
      PATH: process.env.PATH,
      ...webEnvironment({
        PORT: String(port),
        KEEPSAKE_DATA_DIR: folder,
        LOG_LEVEL: 'info',
        NODE_ENV: 'production',
        STRIPE_SECRET_KEY: 'sk_test_of_the_benchmark',
        STRIPE_WEBHOOK_SECRET: SECRET,
        STRIPE_API_URL: 'http://127.0.0.1:1',
      }),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const deadline = Date.now() + 60_000;
  const isHealthy = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isHealthy())) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error('the web process does not start');
    await delay(200);
  }
  return { port, stop: () => child.kill() };
}

export async function run() {
  const { file, folder } = await makeSqliteFile('disk');
  const tokens = await fillPagesWorld(file, Date.now());
  const web = await startWeb(folder);
  const client = connect(web.port, tokens);
  const found = new Map<Name, { alone: number[]; during: number[]; ratios: number[] }>(
    pages.map(({ name }) => [name, { alone: [], during: [], ratios: [] }]),
  );
  const bursts: number[] = [];
  try {
    for (const page of pages) for (let time = 0; time < WARM_UP; time++) await client.page(page);
    for (let round = 0; round < ROUNDS; round++)
      for (const [place, page] of pages.entries()) {
        const first = (round * pages.length + place) * WEBHOOKS;
        const alone: number[] = [];
        for (let time = 0; time < ALONE; time++) alone.push(await client.page(page));
        const { during, burstMs } = await burst(client, page, first);
        const own = found.get(page.name);
        own?.alone.push(median(alone));
        own?.during.push(median(during));
        own?.ratios.push(median(during) / median(alone));
        bursts.push(burstMs);
      }
  } finally {
    client.close();
    web.stop();
  }
  await checkStored(file, ROUNDS * pages.length * WEBHOOKS);
  rmSync(folder, { recursive: true, force: true });
  return report(found, bursts);
}

/** Sends a thousand webhooks, and asks for a page again and again until all are answered. */
async function burst(client: ReturnType<typeof connect>, page: (typeof pages)[number], first: number) {
  const webhooks = await Promise.all(Array.from({ length: WEBHOOKS }, (_, each) => webhook(first + each)));
  const begin = performance.now();
  let waiting = true;
  const sent = Promise.all(webhooks.map((each) => client.send(each))).finally(() => {
    waiting = false;
  });
  const during: number[] = [];
  while (waiting) during.push(await client.page(page));
  await sent;
  return { during, burstMs: performance.now() - begin };
}

async function checkStored(file: string, expected: number): Promise<void> {
  const db = await openSqlite(file);
  const stored = await db.read.$count(stripeEvents);
  await db.close();
  if (stored !== expected) throw new Error(`${stored} of ${expected} events were stored`);
}

function report(
  found: ReadonlyMap<Name, { alone: number[]; during: number[]; ratios: number[] }>,
  bursts: readonly number[],
) {
  const rows = [...found].map(([name, { alone, during, ratios }]) => ({
    name,
    aloneMs: rounded(median(alone)),
    duringMs: rounded(median(during)),
    ratio: rounded(median(ratios)),
  }));
  console.table(rows);
  return {
    ratio: rounded(Math.max(...rows.map(({ ratio }) => ratio)) / GOAL),
    burstMs: rounded(median(bursts)),
    ...Object.fromEntries(rows.map(({ name, ratio }) => [name, ratio])),
  };
}
