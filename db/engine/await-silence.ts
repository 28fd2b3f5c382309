import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '#db/error-code.ts';
import type { RawConnection } from './seal-stored.ts';

/** The longest lease of a bot or a chat account in versions that kept it in their rows. */
export const LONGEST_LEASE_MS = 45_000;
const CHECK_EVERY_MS = 1_000;

/** System time, a pause, and a line for the operator. */
export interface Waiting {
  now(): number;
  wait(ms: number): Promise<unknown>;
  say(line: string): void;
}
export const systemWaiting: Waiting = {
  now: Date.now,
  wait: delay,
  say: (line) => console.log(line),
};

const leases =
  "select 'bot ' || id as name, lease_until_ms as until from bots union all select 'chat ' || twitch_id, lease_until_ms from chat_accounts";

/** Another process may have upgraded meanwhile to a version that keeps leases elsewhere, and waited itself. */
function emptyIfRemoved(error: Error): [] {
  if (errorCode(error) === '42703' || error.message.startsWith('no such column')) return [];
  throw error;
}

/**
 * Returns once no bot can be running. A lease in force may be left by a process that was killed: it is waited for, at
 * most for its length. Throws if it is renewed meanwhile, because then the bot does run: it would send mail, track and
 * charge beside the new one, and an old enough one would use sealed text as if it were plain.
 */
export async function awaitSilence({ run }: RawConnection, { now, wait, say }: Waiting): Promise<void> {
  const read = async () => {
    const rows = (await Promise.resolve()
      .then(() => run(leases, []))
      .catch(emptyIfRemoved)) as { name: string; until: number | string }[];
    return new Map(rows.map(({ name, until }) => [name, Number(until)]));
  };
  const found = await read();
  const isHeld = (held: Map<string, number>) => [...held.values()].some((until) => until > now());
  if (!isHeld(found)) return;
  say('A bot was running a moment ago. Waiting until its lease has run out, at most 45 seconds.');
  for (let [held, waitedMs] = [found, 0]; ; held = await read(), waitedMs += CHECK_EVERY_MS) {
    if ([...held].some(([name, end]) => end > (found.get(name) ?? 0)))
      throw new Error(
        'a bot is running, and this upgrade changes what it reads. Stop web and bot first, then start again.',
      );
    if (!isHeld(held) || waitedMs >= LONGEST_LEASE_MS) return;
    await wait(CHECK_EVERY_MS);
  }
}
