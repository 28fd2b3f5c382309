import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { buildClock } from './clock/build-clock.ts';
import type { Mailbox } from './mail/mailbox.ts';
import { startSmtp } from './mail/start-smtp.ts';
import { SandboxError, type Worlds } from './open-worlds.ts';
import { buildPanel } from './panel/build-panel.ts';
import { startPushService } from './push/start-push-service.ts';
import { startSteam } from './steam/server.ts';
import { pointAtProduct } from './stripe/seed.ts';
import { startStripe } from './stripe/server.ts';
import { startTwitch } from './twitch/server.ts';

export interface SandboxPorts {
  panel: number;
  twitch: number;
  steamProxy: number;
  steamHttp: number;
  smtp: number;
  clock: number;
  stripe: number;
  push: number;
}

export interface SandboxUrls {
  panel: string;
  twitch: string;
  steamProxy: string;
  steamHttp: string;
  smtp: string;
  clock: string;
  stripe: string;
  push: string;
}

export interface SandboxLog {
  info(details: object | string, message?: string): void;
  warn(details: object | string, message?: string): void;
  error(details: object | string, message?: string): void;
}

export interface ServersOptions {
  worlds: Worlds;
  mailbox: Mailbox;
  directory: string;
  ports: SandboxPorts;
  productUrl: string;
  log: SandboxLog;
}

export interface RunningServers {
  urls: SandboxUrls;
  /** The certificate authority that the product's processes have to trust. */
  caFile: string;
  close(): Promise<void>;
}

interface Closable {
  close(): Promise<unknown>;
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Starts one part after another; if one fails, closes those already running. */
class Starter {
  readonly #running: Closable[] = [];

  async start<Part extends Closable>(
    name: string,
    ports: number[],
    start: () => Promise<Part>,
  ): Promise<Part> {
    try {
      const part = await start();
      this.#running.push(part);
      return part;
    } catch (error) {
      await this.close();
      if (!isPortTaken(error)) throw error;
      const which = `${ports.length > 1 ? 'One of the ports' : 'The port'} ${ports.join(' and ')} for ${name}`;
      throw new SandboxError(`${which} is taken. Free it, or set SANDBOX_PORTS_FROM to another range.`);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((part) => part.close()));
  }
}

async function listen(server: FastifyInstance, port: number) {
  try {
    await server.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    await server.close();
    throw error;
  }
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}

/** Starts all servers, the panel last: once it answers, the others do too. */
export async function startServers(options: ServersOptions): Promise<RunningServers> {
  const { worlds, mailbox, directory, ports, productUrl, log } = options;
  const { clock, twitch, steam, stripe, application } = worlds;
  const starter = new Starter();
  const onClock = await starter.start('the clock', [ports.clock], () =>
    listen(buildClock(clock), ports.clock),
  );
  const onSmtp = await starter.start('mail', [ports.smtp], () =>
    startSmtp({ mailbox, now: clock.now, port: ports.smtp }),
  );
  const onTwitch = await starter.start('Twitch', [ports.twitch], () =>
    startTwitch({ world: twitch, port: ports.twitch, ...application, log }),
  );
  const { steamProxy: proxyPort, steamHttp: httpPort } = ports;
  const onSteam = await starter.start('Steam', [proxyPort, httpPort], () =>
    startSteam({ world: steam, directory, proxyPort, httpPort, log: (message) => log.info(message) }),
  );
  pointAtProduct(stripe, productUrl);
  const onStripe = await starter.start('Stripe', [ports.stripe], () =>
    startStripe({ world: stripe, port: ports.stripe, log }),
  );
  const onPush = await starter.start('push', [ports.push], () => startPushService(ports.push));
  const urls = {
    twitch: onTwitch.url,
    steamProxy: onSteam.proxyUrl,
    // Browsers show this address, and the product's variables use it.
    steamHttp: `http://localhost:${new URL(onSteam.httpUrl).port}`,
    smtp: `smtp://127.0.0.1:${onSmtp.port}`,
    clock: `http://127.0.0.1:${onClock.port}`,
    stripe: onStripe.url,
    push: onPush.url,
  };
  const addresses = { product: productUrl, images: `${urls.steamHttp}/images/`, ...urls };
  const panel = await buildPanel(
    { clock, mailbox, twitch, steam, stripe, clientId: application.clientId, addresses },
    (error) => log.error({ err: error }, 'the panel failed'),
  );
  const onPanel = await starter.start('the panel', [ports.panel], () => listen(panel, ports.panel));
  return {
    urls: { panel: `http://localhost:${onPanel.port}`, ...urls },
    caFile: onSteam.caFile,
    close: () => starter.close(),
  };
}
