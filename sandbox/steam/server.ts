import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { browserPages } from './browser-pages.ts';
import { ensureCertificates } from './certificates.ts';
import type { Log } from './cm.ts';
import { createProxy } from './proxy.ts';
import type { Hold } from './steam-site.ts';
import type { SteamWorld } from './world.ts';

export type SteamOptions = {
  world: SteamWorld;
  /** The folder of the certificates, which are created if missing. */
  directory: string;
  /** 0 means any free port. */
  proxyPort: number;
  httpPort: number;
  log?: Log | undefined;
  hold?: Hold | undefined;
};

export type RunningSteam = {
  /** The value for STEAM_HTTP_PROXY. */
  proxyUrl: string;
  /** The plain HTTP site for browsers: sign-in page and pictures. */
  httpUrl: string;
  caFile: string;
  close: () => Promise<void>;
};

/** Longer than clients keep idle connections: a request on a connection that the server is closing gets no answer. */
const KEEP_ALIVE_MS = 65_000;

/** Starts the sandbox's Steam on loopback; the certificates exist once this resolves. */
export async function startSteam(options: SteamOptions): Promise<RunningSteam> {
  const log = options.log ?? (() => {});
  const certificates = await ensureCertificates(options.directory);
  const proxy = createProxy(options.world, certificates, log, options.hold);
  const browser = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, browserPages(options.world, log));
  const proxyPort = await listen(proxy.server, options.proxyPort);
  const httpPort = await listen(browser, options.httpPort).catch(async (error: unknown) => {
    await stop(proxy.server);
    throw error;
  });
  return {
    proxyUrl: `http://127.0.0.1:${proxyPort}`,
    httpUrl: `http://127.0.0.1:${httpPort}`,
    caFile: certificates.caFile,
    close: async () => {
      proxy.close();
      browser.closeAllConnections();
      await Promise.all([stop(proxy.server), stop(browser)]);
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
