import type { DestinationStream, Logger } from 'pino';
import { createProcessLog } from '#platform/process-log.ts';

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;

export const createLog = (level: string, destination?: DestinationStream): Logger =>
  createProcessLog('bot', level, destination);
