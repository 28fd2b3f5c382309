import { z } from 'zod';

// Checks of single variables, shared by all processes.

export const webAddress = z
  .url({ protocol: /^https?$/, message: 'must be an http or https address' })
  .transform((text) => new URL(text));
/** An address that file names are appended to. */
export const folder = webAddress.refine((url) => url.pathname.endsWith('/'), 'must end with a slash');

/** The public origin: nothing after the host. */
export const origin = webAddress.refine(
  (url) => url.pathname === '/' && url.search === '' && url.hash === '',
  'must be an address without a path',
);

const portProblem = 'must be a port number from 0 to 65535';
export const port = z.coerce
  .number({ message: portProblem })
  .int(portProblem)
  .min(0, portProblem)
  .max(65_535, portProblem);

export const longSecret = z.string().min(32, 'must have at least 32 characters');
export const hexKey = z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits');
export const postgresAddress = z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://');
export const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  message: 'must be fatal, error, warn, info, debug, trace or silent',
});

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);
/** Returns whether a host name refers to this machine only. */
export const isLoopback = (host: string): boolean => loopbackNames.has(host);
