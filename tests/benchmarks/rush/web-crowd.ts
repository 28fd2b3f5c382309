import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { webEnvironment } from '#tests/app/support/web-environment.ts';
import { startWeb, stopWeb } from '#tests/app/support/web-process.ts';
import { cookieOf } from '#tests/benchmarks/page-web.ts';
import { cpuMsOf } from '#tests/benchmarks/process-cpu.ts';

/** A form that somebody signed in sends. */
export interface Press {
  path: string;
  token: string;
  body: string;
}

/** Built web processes over one database, with a bot that takes nudges, and the people who press there. */
export async function startCrowd(databaseUrl: string, processes: number) {
  const bot = createServer((_, response) => response.writeHead(202).end('{}')).listen(0, '127.0.0.1');
  await once(bot, 'listening');
  const settings = webEnvironment({
    DATABASE_URL: databaseUrl,
    BOT_URL: `http://127.0.0.1:${(bot.address() as AddressInfo).port}`,
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
  });
  const webs = await Promise.all(Array.from({ length: processes }, () => startWeb(settings)));
  const agent = new Agent({ keepAlive: true });
  let turn = 0;

  async function send({ path, token, body }: Press) {
    const { url } = webs[turn++ % webs.length] ?? { url: '' };
    const sent = request(new URL(path, url), {
      method: 'POST',
      agent,
      headers: {
        Cookie: cookieOf(token),
        Origin: new URL(settings.PUBLIC_URL ?? '').origin,
        Host: new URL(settings.PUBLIC_URL ?? '').host,
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
      },
    });
    sent.end(body);
    const [answer] = await once(sent, 'response');
    answer.resume();
    await once(answer, 'end');
    const { location = '', 'set-cookie': cookies = [] } = answer.headers;
    const hasToast = (cookies as string[]).some((cookie) => cookie.includes('keepsake_toast='));
    return hasToast
      ? `${answer.statusCode} ${location} with a message`
      : `${answer.statusCode} ${location}`.trim();
  }

  return {
    /** Sends all forms, some at once, and counts the answers by their status and where they lead. */
    async press(presses: readonly Press[], atOnce: number): Promise<Map<string, number>> {
      const answers = new Map<string, number>();
      const left = [...presses];
      const pressOn = async () => {
        for (let next = left.pop(); next; next = left.pop()) {
          const answer = await send(next);
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, pressOn));
      return answers;
    },
    /** The CPU time of all processes so far. */
    cpuMs: () => webs.reduce((sum, { process }) => sum + cpuMsOf(process.pid ?? 0), 0),
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await Promise.all(webs.map(stopWeb));
      bot.close();
    },
  };
}
