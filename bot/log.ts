import { type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

/** Names whose values never belong into a log, wherever they turn up. */
const secrets = [
  'token',
  'tradeToken',
  'accessToken',
  'refreshToken',
  'password',
  'sharedSecret',
  'identitySecret',
  'clientSecret',
  'cookies',
  'authorization',
];

/** JSON lines on standard output, without secrets. */
export const createLog = (level: string): Logger =>
  pino({
    level,
    base: { process: 'bot' },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '(hidden)' },
  });
