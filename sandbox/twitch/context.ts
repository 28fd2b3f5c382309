import type { FastifyBaseLogger } from 'fastify';
import type { ChatGate } from './chat-gate.ts';
import type { TwitchWorld } from './world.ts';

/** Shared by all parts of the sandbox's Twitch. */
export interface TwitchContext {
  world: TwitchWorld;
  chatGate: ChatGate;
  clientId: string;
  clientSecret: string;
  /** The redirect addresses that the application lists; empty: any. */
  redirectUris: readonly string[];
  /** The polling interval announced to devices. */
  deviceIntervalSeconds: number;
  /** An event socket gets a keepalive after this long without a message, unless its client asked for longer. */
  keepaliveSeconds: number;
  /** Ten, as measured (twitchdev/issues 597), and not 800 a minute as documented; more where many channels are made ready. */
  pointsPerSecond: number;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}
