import net from 'node:net';
import { afterAll, afterEach, expect, vi } from 'vitest';
import { keepStatements, noteStatements } from '#tests/support/statements.ts';

const loopback = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '']);
const shared = globalThis as { connectAnywhere?: typeof net.Socket.prototype.connect };
// Many files run in one process, and each of them comes here.
shared.connectAnywhere ??= net.Socket.prototype.connect;
const connect = shared.connectAnywhere;

/** Nothing in a test may reach beyond this machine. */
net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
  const first = (Array.isArray(args[0]) ? args[0][0] : args[0]) as
    | { host?: string; path?: string }
    | undefined;
  if (first && typeof first === 'object' && !first.path && !loopback.has(first.host ?? ''))
    throw new Error(`a test tried to reach ${first.host}`);
  return Reflect.apply(connect, this, args) as net.Socket;
};

const errors = vi.spyOn(console, 'error');
/** What is logged as an error is an error, unless the test looked at it and cleared it. */
afterEach(() => {
  const logged = errors.mock.calls.map((call) => call.map(String).join(' '));
  errors.mockClear();
  expect(logged, 'console.error was called').toEqual([]);
});

// What the product asks of its store in any test, the tests of its plans look at in the end.
noteStatements();
afterAll(keepStatements);
