import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { Asset } from '#db/schema/asset.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';

export type BotItem = Asset & { tradable: boolean; protectedUntilMs?: number };

/** A fake of the bot's API, with configurable inventories, counted nudges and refusals on demand. */
export interface FakeBot {
  url: string;
  /** Each Steam account's items, by SteamID64; all games share one list. */
  inventories: Map<string, BotItem[]>;
  /** When set, inventories are the first pages of larger ones. */
  part: { total: number | null; isReading: boolean } | null;
  /** When set, inventory requests get this status and code: of all games, or of one. */
  trouble: { status: number; code: string; appId?: number } | null;
  /** The answer of `/state`; null to refuse. */
  state: object | null;
  /** The answer of `/metrics` for callers with the token; null for none. */
  metrics: { token: string; text: string } | null;
  /** The answer of `/readiness`; null as if Steam were away. */
  readiness: object | null;
  nudges: number;
  /** Channels that were left, whether Twitch answered or not. */
  left: string[];
  asked: string[];
  stop(): Promise<void>;
}

/** Counts this test's nudges. A late one may still arrive from the previous test. */
export function countNudges(): () => number {
  const sent = vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => sent.mockRestore());
  return () => sent.mock.calls.filter(([url]) => String(url).endsWith('/nudge')).length;
}

export async function startFakeBot(): Promise<FakeBot> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const reply = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const path = request.url ?? '';
    if (request.method === 'POST' && path === '/nudge') {
      bot.nudges++;
      return reply(202, { ok: true });
    }
    if (path === '/state') return bot.state ? reply(200, bot.state) : reply(500, { code: 'internal' });
    if (path === '/metrics') {
      if (request.headers.authorization !== `Bearer ${bot.metrics?.token}`) return reply(404, {});
      response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4' });
      return response.end(bot.metrics?.text);
    }
    if (path.startsWith('/readiness')) {
      bot.asked.push(path);
      return bot.readiness ? reply(200, bot.readiness) : reply(503, { code: 'steamUnavailable' });
    }
    const [, channelId] = /^\/channels\/(\d+)\/leave$/.exec(path) ?? [];
    if (request.method === 'POST' && channelId) {
      bot.left.push(channelId);
      return bot.trouble ? reply(bot.trouble.status, { code: bot.trouble.code }) : reply(200, { ok: true });
    }
    const [, steamId = '', appId = ''] = /^\/inventories\/(\d+)\/(\d+)\/[26](\?|$)/.exec(path) ?? [];
    bot.asked.push(path);
    if (bot.trouble && (bot.trouble.appId ?? Number(appId)) === Number(appId))
      return reply(bot.trouble.status, { code: bot.trouble.code });
    const items = (bot.inventories.get(steamId) ?? []).filter((item) => item.appId === Number(appId));
    return reply(200, {
      items,
      readAtMs: Date.now() - 5000,
      ageMs: 5000,
      ...(bot.part && { part: bot.part }),
    });
  });
  const bot: FakeBot = {
    url: '',
    inventories: new Map(),
    part: null,
    trouble: null,
    state: null,
    metrics: null,
    readiness: null,
    nudges: 0,
    left: [],
    asked: [],
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  bot.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return bot;
}
