import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports for outgoing connections (from 32768 on Linux, 49152 elsewhere), which could take a port between
 * finding and listening.
 */
const lowest = 10_000;
const highest = 32_000;

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** The first of this many consecutive free ports. */
export async function findFreePorts(count: number): Promise<number> {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest));
    const row = Array.from({ length: count }, (_, place) => first + place);
    if ((await Promise.all(row.map(canListen))).every(Boolean)) return first;
  }
}
