import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems hand out to outgoing connections (32768 on Linux, 49152 elsewhere): one of those would take a port between finding and listening. */
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

/** So many ports in a row that nobody listens on; the first of them. */
export async function findFreePorts(count: number): Promise<number> {
  for (;;) {
    const first = lowest + Math.floor(Math.random() * (highest - lowest));
    const row = Array.from({ length: count }, (_, place) => first + place);
    if ((await Promise.all(row.map(canListen))).every(Boolean)) return first;
  }
}
