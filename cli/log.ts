import { type DestinationStream, type Logger, pino } from 'pino';
import { logLevel } from '#platform/configuration-checks.ts';
import { redactLine } from '#platform/redaction.ts';

export type Log = Pick<Logger, 'info' | 'error' | 'fatal'>;

/**
 * JSON lines on standard output, as those of web and bot that they stand between. A level that is none is a fault that
 * web and bot name.
 */
export const createLog = (name: string, level = 'info', destination?: DestinationStream): Log =>
  pino(
    {
      level: logLevel.catch('info').parse(level),
      base: { process: name },
      hooks: { streamWrite: redactLine },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
