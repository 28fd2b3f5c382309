import { format } from 'node:util';
import { type DestinationStream, type Logger, pino } from 'pino';
import { recentFaults } from './recent-faults.ts';
import { redactLine } from './redaction.ts';
import { requestOfLine } from './request-id.ts';

/**
 * JSON lines on standard output, of one shape in every process: `level`, `time`, `process`, the request if there is one,
 * what the line is about, `msg`. Secrets and addresses are removed wherever they occur.
 */
export const createProcessLog = (process: string, level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { process },
      mixin: requestOfLine,
      hooks: { streamWrite: (line) => recentFaults.record(redactLine(line)) },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );

/** Brings what packages print, and what Node warns of, into the log of this process. */
export function logForeignLines(log: Pick<Logger, 'info' | 'warn' | 'error'>): void {
  const take =
    (level: 'info' | 'warn' | 'error') =>
    (...said: unknown[]) =>
      log[level]({ from: 'console' }, format(...said));
  Object.assign(console, { log: take('info'), info: take('info'), warn: take('warn'), error: take('error') });
  // Node's own listener prints it as plain text.
  process.removeAllListeners('warning');
  process.on('warning', (err) => log.warn({ err }, `Node warns: ${err.name}`));
}
