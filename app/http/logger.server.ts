import type { DestinationStream, Logger } from 'pino';
import { config } from '#app/config.server.ts';
import { createProcessLog } from '#platform/process-log.ts';

export const createLog = (level: string, destination?: DestinationStream): Logger =>
  createProcessLog('web', level, destination);

let made: Logger | null = null;

/** This process's log. */
export function logger(): Logger {
  made ??= createLog(config().logLevel);
  return made;
}

/** The methods of a log that code handling a request needs. */
export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

/** This process's log, created for the first line and not when this module is loaded. */
export const processLog: Log = {
  debug: (...line: Parameters<Log['debug']>) => logger().debug(...line),
  info: (...line: Parameters<Log['info']>) => logger().info(...line),
  warn: (...line: Parameters<Log['warn']>) => logger().warn(...line),
  error: (...line: Parameters<Log['error']>) => logger().error(...line),
};
