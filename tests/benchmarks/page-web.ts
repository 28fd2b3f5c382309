// The web process as a browser meets it, for benchmarks that measure its CPU time per page.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { webEnvironment } from '#tests/app/support/web-environment.ts';
import type { Cost } from '#tests/benchmarks/measure.ts';

const browser = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language': 'en-US,en;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br, zstd',
};

export interface Asked {
  /** Selects one of the two apps: the product, or the one with a trivial page. */
  app: 'product' | 'reference';
  path: string;
  /** The session of who asks. */
  token?: string | undefined;
}

/** Starts the built web process, and beside it in the same process a trivial page's, over a data folder. */
export async function startPageWeb(folder: string) {
  const child = fork('tests/benchmarks/pages-server.ts', {
    execArgv: ['--import', 'tsx'],
    env: {
      PATH: process.env.PATH,
      ...webEnvironment({ KEEPSAKE_DATA_DIR: folder, LOG_LEVEL: 'info', NODE_ENV: 'production' }),
    },
    // It logs every request, as in production; the output is discarded.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ports] = (await once(child, 'message')) as [Record<Asked['app'], number>];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const cpuMs = async (): Promise<number> => {
    child.send('cpu');
    const [ms] = (await once(child, 'message')) as [number];
    return ms;
  };

  /** Requests a page several times and reads all of it, still compressed. */
  async function ask({ app, path, token }: Asked, times: number): Promise<void> {
    const headers = { ...browser, ...(token !== undefined && { Cookie: cookieOf(token) }) };
    for (let time = 0; time < times; time++) {
      const sent = get({ host: '127.0.0.1', port: ports[app], path, agent, headers });
      const [answer] = await once(sent, 'response');
      if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
      for await (const _ of answer);
    }
  }

  return {
    ask,
    /** The process's cost per request. */
    async costOf(asked: Asked, times: number): Promise<Cost> {
      const [before, begin] = [await cpuMs(), performance.now()];
      await ask(asked, times);
      const wallMs = (performance.now() - begin) / times;
      return { cpuMs: ((await cpuMs()) - before) / times, wallMs };
    },
    stop() {
      agent.destroy();
      child.disconnect();
    },
  };
}

/** The session cookie as a browser sends it. */
export const cookieOf = (token: string) =>
  `keepsake_session=${encodeURIComponent(Buffer.from(JSON.stringify(token)).toString('base64'))}`;
