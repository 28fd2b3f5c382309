import { createServer } from 'node:net';
import { listenFault } from '#platform/listen-address.ts';

/** One line for each of these addresses at which this machine cannot listen. */
export async function findAddressFaults(
  wanted: readonly { host: string | undefined; port: number; hostName: string; portName: string }[],
): Promise<string[]> {
  const faults = await Promise.all(
    wanted.map(async (each) => {
      const code = await obstacleTo(each);
      return code === null ? null : listenFault(code, each);
    }),
  );
  return faults.filter((fault) => fault !== null);
}

/** Listens for a moment. Returns the code of the reason why that is not possible, or null. */
function obstacleTo({ host, port }: { host: string | undefined; port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}
