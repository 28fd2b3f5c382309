import type { FastifyBaseLogger } from 'fastify';
import type { TwitchWorld } from './world.ts';

/** Shared by all parts of the sandbox's Twitch. */
export interface TwitchContext {
  world: TwitchWorld;
  clientId: string;
  clientSecret: string;
  /** The redirect addresses that the application lists; empty: any. */
  redirectUris: readonly string[];
  /** The polling interval that devices are told. */
  deviceIntervalSeconds: number;
  /** An event socket gets a keepalive after this long without a message, unless its client asked for longer. */
  keepaliveSeconds: number;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}
