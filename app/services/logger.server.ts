import pino, { type Logger } from 'pino';
import { config } from '#app/config.server.ts';

const redacted = [
  'password',
  'token',
  'secret',
  'accessToken',
  'refreshToken',
  'tradeToken',
  'cookie',
  'authorization',
];

let made: Logger | null = null;

/** The log of this process: one JSON line per event, secrets removed wherever they might slip in. */
export function logger(): Logger {
  made ??= pino({
    name: 'web',
    level: config().logLevel,
    redact: { paths: redacted.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
  });
  return made;
}
