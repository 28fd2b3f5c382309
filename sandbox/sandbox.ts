import { join, resolve } from 'node:path';
import { type Mailbox, openMailbox } from './mail/mailbox.ts';
import { openWorlds, type Worlds } from './open-worlds.ts';
import { type ProductEnvironment, productEnvironment } from './product-environment.ts';
import { type SandboxLog, type SandboxPorts, type SandboxUrls, startServers } from './start-servers.ts';
import { writeWhole } from './state-file.ts';
import { botsFile } from './steam/seed.ts';

export interface SandboxOptions {
  /** The folder for worlds, mails, certificates and the files for the product. */
  directory: string;
  /** A missing port means any free one. */
  ports?: Partial<SandboxPorts>;
  /** The target of the panel's links to the product. */
  productUrl?: string;
  /** The Twitch application; generated at the first start when not given. */
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  log?: SandboxLog;
}

export interface RunningSandbox extends Worlds {
  urls: SandboxUrls;
  mailbox: Mailbox;
  /** The variables that point the product at this sandbox, also written to `product.env.json`. */
  environment: ProductEnvironment;
  /** Saves the worlds and releases all ports. */
  close(): Promise<void>;
}

const anyPort: SandboxPorts = {
  panel: 0,
  twitch: 0,
  steamProxy: 0,
  steamHttp: 0,
  smtp: 0,
  clock: 0,
  stripe: 0,
  push: 0,
};
const silentLog: SandboxLog = { info() {}, warn() {}, error() {} };

/** Starts the whole sandbox in this process: Twitch, Steam, Stripe, mail, push, clock and panel on loopback. */
export async function startSandbox(options: SandboxOptions): Promise<RunningSandbox> {
  const directory = resolve(options.directory);
  const log = options.log ?? silentLog;
  const { save, ...worlds } = await openWorlds({
    directory,
    clientId: options.clientId,
    clientSecret: options.clientSecret,
    onError: (error) =>
      log.error({ err: error }, 'the world could not be saved; retrying at the next change'),
  });
  const mailbox = await openMailbox(join(directory, 'mail'));
  const servers = await startServers({
    worlds,
    mailbox,
    directory,
    ports: { ...anyPort, ...options.ports },
    productUrl: options.productUrl ?? 'http://localhost:3000',
    log,
  });
  const { urls, caFile } = servers;
  const { application, stripe } = worlds;
  const environment = productEnvironment({ directory, caFile, urls, application, stripe });
  await writeWhole(environment.STEAM_BOTS_FILE, JSON.stringify(botsFile(worlds.steam), null, 2), 0o600);
  await writeWhole(join(directory, 'product.env.json'), JSON.stringify(environment, null, 2), 0o600);
  await save();
  return {
    ...worlds,
    urls,
    mailbox,
    environment,
    async close() {
      // Saved before closing too, in case a hanging connection keeps the servers from closing.
      await save();
      await servers.close();
      await save();
    },
  };
}
