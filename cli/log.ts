import type { DestinationStream, Logger } from 'pino';
import { logLevel } from '#platform/configuration-checks.ts';
import { createProcessLog } from '#platform/process-log.ts';

export type Log = Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;

/** A level that is none is a fault that web and bot name. */
export const createLog = (name: string, level = 'info', destination?: DestinationStream): Log =>
  createProcessLog(name, logLevel.catch('info').parse(level), destination);
