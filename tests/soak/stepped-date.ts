// Loaded into web and bot before their own code: the clocks of their host, which the soak moves by writing into a file.
// A step changes only what `Date` tells, like that of a host; time that passes moves the steady clock too. Timers and
// the clocks of Steam, Twitch and PostgreSQL stay as they are.
import { readFileSync } from 'node:fs';

const CHECK_MS = 50;
const file = process.env.SOAK_HOST_CLOCK ?? '';
const readClocks = () => JSON.parse(readFileSync(file, 'utf8')) as { aheadMs: number; passedMs: number };
let clocks = readClocks();
setInterval(() => {
  clocks = readClocks();
}, CHECK_MS).unref();

const steadyNow = performance.now.bind(performance);
performance.now = () => steadyNow() + clocks.passedMs;

const RealDate = Date;
const now = () => RealDate.now() + clocks.aheadMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, asked) => Reflect.construct(target, given.length === 0 ? [now()] : given, asked),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, asked) => (name === 'now' ? now : Reflect.get(target, name, asked)),
});
