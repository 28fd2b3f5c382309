import { type DestinationStream, type Logger, pino } from 'pino';
import { recentFaults } from '#platform/recent-faults.ts';
import { redactLine } from '#platform/redaction.ts';
import { requestOfLine } from '#platform/request-id.ts';

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

/** JSON lines on standard output, with secrets and addresses redacted. */
export const createLog = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { process: 'bot' },
      mixin: requestOfLine,
      hooks: { streamWrite: (line) => recentFaults.record(redactLine(line)) },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
