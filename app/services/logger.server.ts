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

/** What code that handles a request needs of a log. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** The process' own log, made at the first line and not when this module is loaded. */
export const processLog: Log = {
  debug: (...line: Parameters<Log['debug']>) => logger().debug(...line),
  info: (...line: Parameters<Log['info']>) => logger().info(...line),
  warn: (...line: Parameters<Log['warn']>) => logger().warn(...line),
  error: (...line: Parameters<Log['error']>) => logger().error(...line),
};
