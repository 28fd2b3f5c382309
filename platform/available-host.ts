import { once } from 'node:events';
import { createServer } from 'node:net';
import { EVERY_ADDRESS } from './listen-address.ts';

/** A host to listen on: every address is that of IPv4 alone on a machine without IPv6. */
export async function availableHost(host: string): Promise<string> {
  if (host !== EVERY_ADDRESS) return host;
  const server = createServer().listen({ host, port: 0 });
  try {
    await once(server, 'listening');
    return host;
  } catch {
    return '0.0.0.0';
  } finally {
    server.close();
  }
}
