import type { FastifyBaseLogger } from 'fastify';
import type { TwitchWorld } from './world.ts';

/** What every part of the sandbox's Twitch needs. */
export interface TwitchContext {
  world: TwitchWorld;
  clientId: string;
  clientSecret: string;
  /** How long a device is told to wait between its questions. */
  deviceIntervalSeconds: number;
  /** After how long without anything to say an event socket is sent a keepalive, unless its client asked for longer. */
  keepaliveSeconds: number;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}
