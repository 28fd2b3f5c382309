// The examples that operators are given, on an installed HAProxy.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { untilDone } from '#tests/support/until-done.ts';
import { findHaproxy } from './cluster/tools.ts';

const haproxy = findHaproxy();
const withHaproxy = test.skipIf(!haproxy);
const [web, postgres] = ['docs/hosting/haproxy-web.cfg', 'docs/hosting/haproxy-postgres.cfg'] as const;

withHaproxy.for([[web], [postgres], [web, postgres]])('HAProxy takes %s', (files) => {
  const given = files.flatMap((file) => ['-f', file]);
  execFileSync(haproxy ?? '', ['-c', '-q', ...given], { encoding: 'utf8', stdio: 'pipe' });
});

/** The beginning of the row that says whether a server is a standby. */
const row = (value: 't' | 'f') =>
  Buffer.concat([Buffer.from('440000000b000100000001', 'hex'), Buffer.from(value)]);
const CHECK_ROLE = 'keepsake_check';

/** Answers HAProxy's question once it may, and greets people. */
async function startServer(answer: 't' | 'f', mayAnswer: Promise<unknown> = Promise.resolve()) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', async (first) => {
      if (!first.includes(CHECK_ROLE)) return socket.write(answer);
      await mayAnswer;
      socket.write(row(answer));
    });
  });
  const port = await findFreePorts(1);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return port;
}

function startProxy(file: string, addresses: Record<string, string>): void {
  const env = { ...process.env, ...addresses };
  const proxy = spawn(haproxy ?? '', ['-db', '-q', '-f', file], { env, stdio: 'ignore' });
  onTestFinished(() => void proxy.kill('SIGKILL'));
}

/** Says hello through HAProxy. Returns which server greeted; null if none did. */
const greet = (port: number) =>
  new Promise<string | null>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('hello'));
    socket.once('data', (text) => {
      resolve(text.toString());
      socket.destroy();
    });
    socket.once('close', () => resolve(null));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve(null) : reject(error),
    );
  });

withHaproxy('Nobody is led to a server of which it is not known yet whether it takes writes', async () => {
  let letAnswer = () => {};
  const mayAnswer = new Promise<void>((resolve) => {
    letAnswer = resolve;
  });
  const [primary, standby] = [await startServer('f'), await startServer('t', mayAnswer)];
  const port = await findFreePorts(1);
  const addresses = {
    WRITABLE: `127.0.0.1:${port}`,
    POSTGRES_1: `127.0.0.1:${standby}`,
    POSTGRES_2: `127.0.0.1:${primary}`,
  };
  startProxy(postgres, addresses);
  const before = [
    await untilDone(() => greet(port)),
    await greet(port),
    await greet(port),
    await greet(port),
  ];
  expect(before).not.toContain('t');
  letAnswer();
  await expect.poll(() => greet(port)).toBe('f');
});

/** A web process of a build that has the file of one name. */
async function startWeb(own: string) {
  const answered: string[] = [];
  const server = createHttpServer(({ url = '' }, response) => {
    if (url !== '/healthz') answered.push(url);
    response.writeHead(url === '/healthz' || url.endsWith(own) ? 200 : 404).end(own);
  });
  const port = await findFreePorts(1);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${port}`, answered };
}

withHaproxy('While two versions run, a file is found at the processes that have it', async () => {
  const webs = [await startWeb('old.js'), await startWeb('old.js'), await startWeb('new.js')];
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-haproxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const port = await findFreePorts(1);
  startProxy(web, {
    CONTROL: join(folder, 'haproxy.sock'),
    NAME: 'localhost',
    PEOPLE: `127.0.0.1:${port}`,
    ...Object.fromEntries(webs.map(({ address }, place) => [`WEB_${place + 1}`, address])),
  });
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  await untilDone(() => ask('/'));
  for (const name of ['old.js', 'new.js', 'new.js', 'old.js', 'new.js'])
    expect(await ask(`/assets/${name}`), name).toBe(200);
  expect(await ask('/assets/none.js')).toBe(404);
  expect(await ask('/pages/none')).toBe(404);
  expect(webs.flatMap(({ answered }) => answered).filter((url) => url === '/pages/none')).toEqual([
    '/pages/none',
  ]);
});
