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
const encodingProblem =
  'has characters in its user or password that must be percent-encoded (@ as %40, / as %2F, ? as %3F; # as %23, which in .env begins a comment)';

/**
 * Returns whether an address is cut short by a character of its user or password: what comes after the host has
 * another @, as in `postgres://user:pa@ss/word@host/name`, or there is none, as in `postgres://user:pa`.
 */
function isCutShort(address: string): boolean {
  const [, authority = '', rest = ''] = /^[a-z]+:\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
  // A host is followed by digits alone.
  if (!authority.includes('@') && /:[^:\]]*[^:\]\d][^:\]]*$/.test(authority)) return true;
  // A query may have one.
  return authority !== '' && rest.replace(/\?[\w.-]+=.*$/s, '').includes('@');
}

export const postgresAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { message: 'must begin with postgres://', abort: true })
  .refine((address) => !isCutShort(address), encodingProblem);

/** The address of a mail server. */
export const mailAddress = z
  .string()
  .refine((address) => !/^smtps?:/.test(address) || !isCutShort(address), {
    message: encodingProblem,
    abort: true,
  })
  .pipe(z.url({ protocol: /^smtps?$/, message: 'must be an smtp or smtps address' }));

export const logLevel = z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
  message: 'must be fatal, error, warn, info, debug, trace or silent',
});

const loopbackNames = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);
/** Returns whether a host name refers to this machine only. */
export const isLoopback = (host: string): boolean => loopbackNames.has(host);
