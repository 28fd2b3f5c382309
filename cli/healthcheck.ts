// `node build/healthcheck.js`: checks that web and bot, or only the named ones, answer on this machine. Imports none
// of our modules, because it runs every half minute.
const TIMEOUT_MS = 5000;

const addresses: Record<string, string> = {
  web: `http://127.0.0.1:${process.env.PORT || 3000}/healthz`,
  bot: `http://127.0.0.1:${process.env.BOT_PORT || 3001}/healthz`,
};
const named = process.argv.slice(2);

/** What is wrong with a process, or null. */
async function faultOf(name: string): Promise<string | null> {
  const address = addresses[name];
  if (!address) return `there is no process ${name}`;
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return status === 200 ? null : `${name} answers ${status}`;
  } catch {
    return `${name} does not answer`;
  }
}

const faults = await Promise.all((named.length > 0 ? named : Object.keys(addresses)).map(faultOf));
for (const fault of faults) if (fault) console.error(fault);
process.exitCode = faults.some(Boolean) ? 1 : 0;

export {};
