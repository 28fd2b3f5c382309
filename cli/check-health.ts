import { localUrl } from '#platform/listen-address.ts';

// Imports no package: the health check of a container runs every half minute.
const TIMEOUT_MS = 5000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The addresses at which a process may be: beside the supervisor the bot is on loopback, whatever HOST says
 * of the web process.
 */
const addresses: Record<string, (environment: Environment) => string[]> = {
  web: ({ HOST, PORT }) => [localUrl(HOST, PORT || 3000)],
  bot: ({ HOST, BOT_PORT }) => [localUrl(undefined, BOT_PORT || 3001), localUrl(HOST, BOT_PORT || 3001)],
};

/** One line for each process, of those named or of all, that does not answer on this machine. */
export async function findHealthFaults(
  named: readonly string[],
  environment: Environment,
): Promise<string[]> {
  const names = named.length > 0 ? named : Object.keys(addresses);
  const faults = await Promise.all(names.map((name) => faultOf(name, environment)));
  return faults.filter((fault) => fault !== null);
}

async function faultOf(name: string, environment: Environment): Promise<string | null> {
  const urls = addresses[name]?.(environment);
  if (!urls) return `there is no process ${name}`;
  let fault = `${name} does not answer`;
  for (const url of new Set(urls)) {
    const status = await statusOf(`${url}/healthz`);
    if (status === 200) return null;
    if (status !== null) fault = `${name} answers ${status}`;
  }
  return fault;
}

async function statusOf(url: string): Promise<number | null> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })).status;
  } catch {
    return null;
  }
}
