// `node build/healthcheck.js`: whether web and bot answer on this machine, or only those that are named. It imports
// nothing of ours, because it runs every half minute.
const PATIENCE_MS = 5000;

const addresses: Record<string, string> = {
  web: `http://127.0.0.1:${process.env.PORT || 3000}/healthz`,
  bot: `http://127.0.0.1:${process.env.BOT_PORT || 3001}/healthz`,
};
const named = process.argv.slice(2);

/** What is wrong with a process, or nothing. */
async function faultOf(name: string): Promise<string | null> {
  const address = addresses[name];
  if (!address) return `there is no process ${name}`;
  try {
    const { status } = await fetch(address, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return status === 200 ? null : `${name} answers ${status}`;
  } catch {
    return `${name} does not answer`;
  }
}

const faults = await Promise.all((named.length > 0 ? named : Object.keys(addresses)).map(faultOf));
for (const fault of faults) if (fault) console.error(fault);
process.exitCode = faults.some(Boolean) ? 1 : 0;

export {};
