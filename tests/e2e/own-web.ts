import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BotItem } from '#tests/app/support/fake-bot.ts';
import { webEnvironment } from '#tests/app/support/web-environment.ts';
import { startWeb, stopWeb } from '#tests/app/support/web-process.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';

/** Answers the questions that pages ask a bot: what somebody’s inventory holds, and nothing else. */
async function startInventories(items: readonly BotItem[]): Promise<Server> {
  const server = createServer((request, response) => {
    const [, appId] = /^\/inventories\/\d+\/(\d+)\//.exec(request.url ?? '') ?? [];
    response.writeHead(appId ? 200 : 404, { 'Content-Type': 'application/json' });
    const held = items.filter((item) => String(item.appId) === appId);
    response.end(JSON.stringify(appId ? { items: held, readAtMs: Date.now(), ageMs: 5000 } : {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** A web process over a store of its own, at its public address: forms are refused under any other. */
export async function startOwnWeb(folder: string, operator: string, items: readonly BotItem[]) {
  const bot = await startInventories(items);
  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const port = String(await findFreePorts(1));
  const web = await startWeb({
    ...webEnvironment({ KEEPSAKE_DATA_DIR: folder, LOG_LEVEL: 'info' }),
    ...{ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` },
    BOT_URL: addressOf(bot),
    OPERATOR_ACCOUNT: operator,
    STRIPE_SECRET_KEY: 'sk_test_nobody',
    STRIPE_WEBHOOK_SECRET: 'whsec_nobody',
    // Nobody answers there.
    STRIPE_API_URL: addressOf(bot),
    TWITCH_CLIENT_ID: 'demo',
    TWITCH_CLIENT_SECRET: 'demo',
  });
  return {
    url: web.url,
    async stop() {
      await stopWeb(web);
      bot.close();
      bot.closeAllConnections();
    },
  };
}
