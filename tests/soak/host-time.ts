// Loaded into web and bot before their own code: the time of their host. The date steps as the soak writes into a file,
// like that of a host that is set. The steady clock and all pauses and deadlines pass several times as fast, because the
// world's minutes do. The clocks of Steam, Twitch and PostgreSQL stay as they are.
import { readFileSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const CHECK_MS = 50;
const file = process.env.SOAK_HOST_CLOCK ?? '';
const pace = Number(process.env.SOAK_HOST_PACE);
const readAheadMs = () => (JSON.parse(readFileSync(file, 'utf8')) as { aheadMs: number }).aheadMs;
let aheadMs = readAheadMs();
setInterval(() => {
  aheadMs = readAheadMs();
}, CHECK_MS).unref();

const steadyNow = performance.now.bind(performance);
performance.now = () => steadyNow() * pace;

/** Shortens the pause that a function is given. */
function hasten(all: object, name: string, place: 0 | 1): void {
  const slow: object = Reflect.get(all, name);
  const fast = (...given: unknown[]) => {
    const pauseMs = given[place];
    if (typeof pauseMs === 'number') given[place] = Math.ceil(pauseMs / pace);
    return Reflect.apply(slow as () => unknown, all, given);
  };
  Reflect.set(all, name, Object.defineProperties(fast, Object.getOwnPropertyDescriptors(slow)));
}
const require = createRequire(import.meta.url);
for (const name of ['setTimeout', 'setInterval']) {
  hasten(globalThis, name, 1);
  hasten(require('node:timers'), name, 1);
  hasten(require('node:timers/promises'), name, 0);
}
hasten(AbortSignal, 'timeout', 0);
syncBuiltinESMExports();

const RealDate = Date;
const now = () => RealDate.now() + aheadMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, asked) => Reflect.construct(target, given.length === 0 ? [now()] : given, asked),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, asked) => (name === 'now' ? now : Reflect.get(target, name, asked)),
});
