import net from 'node:net';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { recordStatements, saveStatements } from '#tests/support/statements.ts';

const loopback = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '']);
const shared = globalThis as { connectAnywhere?: typeof net.Socket.prototype.connect };
// Many files run in one process, and each of them runs this.
shared.connectAnywhere ??= net.Socket.prototype.connect;
const connect = shared.connectAnywhere;

/** No test may connect beyond this machine. */
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const first = (Array.isArray(args[0]) ? args[0][0] : args[0]) as
    | { host?: string; path?: string }
    | undefined;
  if (first && typeof first === 'object' && !first.path && !loopback.has(first.host ?? ''))
    throw new Error(`a test tried to reach ${first.host}`);
  return Reflect.apply(connect, this, args) as net.Socket;
};

const errors = vi.spyOn(console, 'error');
/** A logged error fails the test, unless the test checked and cleared it. */
afterEach(() => {
  const logged = errors.mock.calls.map((call) => call.map(String).join(' '));
  errors.mockClear();
  expect(logged, 'console.error was called').toEqual([]);
});

// Records the product's statements for the tests of their plans.
recordStatements();
afterAll(saveStatements);
