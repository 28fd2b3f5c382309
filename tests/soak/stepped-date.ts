// Loaded into web and bot before their own code: the clock of their host, which the soak steps by writing into a file.
// Like a host's, it changes what `Date` tells, but neither timers nor the clocks of Steam, Twitch and PostgreSQL.
import { readFileSync } from 'node:fs';

const CHECK_MS = 50;
const file = process.env.SOAK_HOST_CLOCK ?? '';
const readAheadMs = () => Number(readFileSync(file, 'utf8'));
let aheadMs = readAheadMs();
setInterval(() => {
  aheadMs = readAheadMs();
}, CHECK_MS).unref();

const RealDate = Date;
const now = () => RealDate.now() + aheadMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, asked) => Reflect.construct(target, given.length === 0 ? [now()] : given, asked),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, asked) => (name === 'now' ? now : Reflect.get(target, name, asked)),
});
