// Two PostgreSQL servers in synchronous replication on this machine, and an address that always leads to the one that
// takes writes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { startPostgresServers } from '#tests/support/postgres-servers.ts';

/** Leads each connection to the server named last; connections to the other one are cut. */
async function startSwitch() {
  let target: number | null = null;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (target === null) {
      client.destroy();
      return;
    }
    const behind = connect(target, '127.0.0.1');
    for (const [one, peer] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        peer.destroy();
      });
      one.pipe(peer);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lead = (port: number | null): void => {
    target = port;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead,
    async close(): Promise<void> {
      lead(null);
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts both; `programs` is the folder of PostgreSQL's server programs. */
export async function startPostgresPair(programs: string) {
  const servers = await startPostgresServers(programs, await findFreePorts(2));
  const writable = await startSwitch();
  writable.lead(servers.port);
  return {
    url: `postgres://postgres@127.0.0.1:${writable.port}/keepsake`,
    /** The port at which a pooler finds the server that takes writes. */
    port: writable.port,
    addStandby: servers.addStandby,
    restartPrimary: servers.restartPrimary,
    stopStandby: servers.stopStandby,
    goOnAlone: servers.goOnAlone,
    async failOver(): Promise<void> {
      await servers.failOver();
      writable.lead(servers.port);
    },
    async stop(): Promise<void> {
      await writable.close();
      servers.destroy();
    },
  };
}
