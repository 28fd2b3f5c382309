import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { formatTags, type Tags } from './irc-lines.ts';
import type { TwitchUser } from './world-state.ts';

/** A broken connection lasts this long until it is cut. */
export const halfOpenForMs = 120_000;

/** One client's connection to the chat. */
export class IrcSession {
  /** null before login, and for anonymous readers. */
  user: TwitchUser | null = null;
  nick = '';
  pass: string | null = null;
  isSignedIn = false;
  mayRead = false;
  maySpeak = false;
  silent = false;
  readonly capabilities = new Set<string>();
  /** Joined channels by name, with the id of the broadcaster at that time. */
  readonly channels = new Map<string, string>();
  readonly socket: WebSocket;
  readonly #request: IncomingMessage;

  constructor(socket: WebSocket, request: IncomingMessage) {
    this.socket = socket;
    this.#request = request;
  }

  send(line: string): void {
    if (!this.silent && this.socket.readyState === this.socket.OPEN) this.socket.send(`${line}\r\n`);
  }

  /** Sends a line, with tags only if the client requested them. */
  sendTagged(tags: Tags, line: string): void {
    this.send(this.capabilities.has('twitch.tv/tags') ? formatTags(tags) + line : line);
  }

  /** Sends one of Twitch's own commands (USERSTATE, ROOMSTATE, …) if the client requested them. */
  sendCommand(tags: Tags, line: string): void {
    if (this.capabilities.has('twitch.tv/commands')) this.sendTagged(tags, line);
  }

  /** Stops reading and writing without closing, like a broken network path, until the server gives up. */
  silence(): void {
    this.silent = true;
    this.#request.socket.pause();
    setTimeout(() => this.socket.terminate(), halfOpenForMs).unref();
  }
}
