import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The cut of a connection when the client sends a text: before or after the server got it. */
export interface Cut {
  at: string;
  when: 'before' | 'answered';
}

/**
 * A TCP proxy before PostgreSQL. `cutOnce` cuts the next connection whose client sends a text; `keepsServer` leaves
 * connections to the server open when their clients end, as a pooler does.
 */
export async function startCuttingProxy(serverUrl: string, { keepsServer = false } = {}) {
  const target = new URL(serverUrl);
  let cut: Cut | null = null;
  const servers = new Set<Socket>();
  let connections = 0;
  const proxy = createServer((client) => {
    connections += 1;
    const server = connect(Number(target.port || 5432), target.hostname);
    servers.add(server);
    let isLosing = false;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    client.on('data', (chunk: Buffer) => {
      const isAt = cut !== null && chunk.includes(cut.at);
      if (isAt && cut?.when === 'before') {
        cut = null;
        return end();
      }
      if (isAt) {
        cut = null;
        isLosing = true;
      }
      const isTermination = chunk[0] === 0x58 && chunk.length === 5;
      if (!(keepsServer && isTermination)) server.write(chunk);
    });
    server.on('data', (chunk: Buffer) => (isLosing ? end() : client.write(chunk)));
    for (const socket of [client, server]) socket.on('error', () => {});
    client.on('close', () => !keepsServer && server.destroy());
    server.on('close', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    /** Number of connections so far. */
    connections: () => connections,
    cutOnce(next: Cut): void {
      cut = next;
    },
    async close(): Promise<void> {
      for (const server of servers) server.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
