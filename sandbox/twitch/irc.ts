import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { type ChatGate, Recent, shownText } from './chat-gate.ts';
import type { TwitchContext } from './context.ts';
import { maxMessageLength } from './helix-chat.ts';
import {
  globalUserStateTags,
  messageTags,
  noticeTags,
  parseIrcLine,
  prefixOf,
  roomStateTags,
  userStateTags,
} from './irc-lines.ts';
import { IrcSession } from './irc-session.ts';
import type { TwitchWorld } from './world.ts';
import type { ChatLine } from './world-state.ts';

const host = ':tmi.twitch.tv';
const knownCapabilities = ['twitch.tv/tags', 'twitch.tv/commands', 'twitch.tv/membership'];
const maxJoins = { count: 20, perMs: 10_000 };
/** Chats that an account is in at once; those that it moderates or owns do not count (discuss.dev.twitch.com/t/54997). */
const maxRooms = 100;
const pingEveryMs = 240_000;

/** Twitch's chat: IRC over WebSocket, with Twitch's capabilities, tags and limits. */
export class IrcServer {
  readonly #world: TwitchWorld;
  readonly #sessions = new Set<IrcSession>();
  readonly #gate: ChatGate;
  readonly #joins = new Recent();
  readonly #stopListening: (() => void)[];
  readonly #pinging: NodeJS.Timeout;
  /** The connection whose message is being sent to the others: Twitch does not echo it. */
  #speaking: IrcSession | null = null;

  constructor({ world, chatGate }: TwitchContext) {
    this.#world = world;
    this.#gate = chatGate;
    this.#stopListening = [
      world.subscribeToEvents((happened) => {
        if (happened.type === 'said') this.#broadcast(happened.line);
        if (happened.type === 'moderatorsChanged') this.#sendUserStates(happened);
      }),
      world.faults.onSocketFault((fault) => {
        for (const session of this.#sessions) {
          if (fault === 'ircKill') session.socket.terminate();
          if (fault === 'ircReconnect') session.send(`${host} RECONNECT`);
          if (fault === 'ircHalfOpen') session.silence();
        }
      }),
    ];
    this.#pinging = setInterval(() => {
      for (const session of this.#sessions) session.send('PING :tmi.twitch.tv');
    }, pingEveryMs);
  }

  accept(socket: WebSocket, request: IncomingMessage): void {
    const session = new IrcSession(socket, request);
    this.#sessions.add(session);
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      for (const channel of [...session.channels.keys()]) this.#leave(session, channel);
      this.#sessions.delete(session);
    });
    socket.on('message', (data) => {
      for (const line of data.toString().split(/\r?\n/)) this.#receive(session, line);
    });
  }

  close(): void {
    clearInterval(this.#pinging);
    for (const stop of this.#stopListening) stop();
    for (const session of this.#sessions) session.socket.terminate();
  }

  #receive(session: IrcSession, line: string): void {
    const message = parseIrcLine(line);
    if (!message || session.silent) return;
    const [first = '', last = ''] = [message.parameters[0], message.parameters.at(-1)];
    const channels = first.toLowerCase().split(',');
    switch (message.command) {
      case 'CAP':
        this.#negotiate(session, first, last);
        break;
      case 'PASS':
        session.pass = first;
        break;
      case 'NICK':
        this.#signIn(session, first.toLowerCase());
        break;
      case 'PING':
        // Without a prefix: tmi.js accepts no other answer, and drops the connection without one.
        session.send(`PONG :${last || 'tmi.twitch.tv'}`);
        break;
      case 'JOIN':
        for (const channel of channels) this.#join(session, channel);
        break;
      case 'PART':
        for (const channel of channels) this.#part(session, channel);
        break;
      case 'PRIVMSG':
        this.#handleMessage(session, first.toLowerCase(), last);
        break;
      case 'QUIT':
        session.socket.close();
        break;
      case 'PONG':
      case 'USER':
        break;
      default:
        session.send(`${host} 421 ${session.nick || '*'} ${message.command} :Unknown command`);
    }
  }

  #negotiate(session: IrcSession, verb: string, list: string): void {
    if (verb.toUpperCase() === 'LS') session.send(`${host} CAP * LS :${knownCapabilities.join(' ')}`);
    if (verb.toUpperCase() !== 'REQ') return;
    const asked = list.split(' ').filter(Boolean);
    const isKnown = asked.every((name) => knownCapabilities.includes(name));
    if (isKnown) for (const name of asked) session.capabilities.add(name);
    session.send(`${host} CAP * ${isKnown ? 'ACK' : 'NAK'} :${asked.join(' ')}`);
  }

  #signIn(session: IrcSession, nick: string): void {
    if (session.isSignedIn) return;
    session.nick = nick;
    const isAnonymous = /^justinfan\d+$/.test(nick);
    if (isAnonymous) session.mayRead = true;
    else if (!this.#checkPass(session)) return;
    session.isSignedIn = true;
    const greeting = [
      ['001', ':Welcome, GLHF!'],
      ['002', ':Your host is tmi.twitch.tv'],
      ['003', ':This server is rather new'],
      ['004', ':-'],
      ['375', ':-'],
      ['372', ':You are in a maze of twisty passages, all alike.'],
      ['376', ':>'],
    ];
    for (const [code, text] of greeting) session.send(`${host} ${code} ${session.nick} ${text}`);
    if (session.user) session.sendCommand(globalUserStateTags(session.user), `${host} GLOBALUSERSTATE`);
  }

  /** A client that cannot log in gets the reason and is disconnected, as on Twitch. */
  #checkPass(session: IrcSession): boolean {
    const word = /^oauth:(\S+)$/.exec(session.pass ?? '')?.[1];
    const token = word ? this.#world.tokens.findValid(word) : null;
    const user = token?.userId ? this.#world.userById(token.userId) : undefined;
    const mayRead = token?.scopes.includes('chat:read') ?? false;
    const maySpeak = token?.scopes.includes('chat:edit') ?? false;
    if (!user || !(mayRead || maySpeak)) {
      const reason = word ? 'Login authentication failed' : 'Improperly formatted auth';
      session.send(`${host} NOTICE * :${reason}`);
      session.socket.close();
      return false;
    }
    // Twitch takes the name from the token, whatever NICK says.
    session.user = user;
    session.nick = user.login;
    session.mayRead = mayRead;
    session.maySpeak = maySpeak;
    return true;
  }

  #join(session: IrcSession, channel: string): void {
    if (!session.isSignedIn || session.channels.has(channel)) return;
    if (!this.#joins.take(session.nick, maxJoins)) return;
    const broadcaster = this.#world.userByLogin(channel.slice(1));
    if (!channel.startsWith('#') || !broadcaster || !session.mayRead) {
      const text = 'This channel does not exist or has been suspended.';
      session.sendCommand({ 'msg-id': 'msg_channel_suspended' }, `${host} NOTICE ${channel} :${text}`);
      return;
    }
    const refusal = session.user && this.#gate.standingRefusal(broadcaster.id, session.user.id, 'join');
    if (refusal) {
      session.sendCommand({ 'msg-id': refusal.id }, `${host} NOTICE ${channel} :${refusal.text}`);
      return;
    }
    // Without a word, like a JOIN past the rate limit (believed: Twitch documents the limit and not the answer).
    if (session.user && !this.#hasRoom(session.user.id, broadcaster.id)) return;
    session.channels.set(channel, broadcaster.id);
    const { nick, user } = session;
    if (user) this.#world.ircJoined(broadcaster.id, user.id);
    session.send(`${prefixOf(nick)} JOIN ${channel}`);
    session.send(`:${nick}.tmi.twitch.tv 353 ${nick} = ${channel} :${nick}`);
    session.send(`:${nick}.tmi.twitch.tv 366 ${nick} ${channel} :End of /NAMES list`);
    if (user)
      session.sendCommand(userStateTags(this.#world, broadcaster.id, user), `${host} USERSTATE ${channel}`);
    session.sendCommand(roomStateTags(broadcaster.id), `${host} ROOMSTATE ${channel}`);
  }

  /** Returns whether an account may be in one more chat, over all of its connections. */
  #hasRoom(userId: string, broadcasterId: string): boolean {
    const counts = (id: string) => id !== userId && !this.#world.isModerator(id, userId);
    if (!counts(broadcasterId)) return true;
    const own = [...this.#sessions].filter(({ user }) => user?.id === userId);
    const rooms = new Set(own.flatMap(({ channels }) => [...channels.values()].filter(counts)));
    return rooms.has(broadcasterId) || rooms.size < maxRooms;
  }

  /**
   * Reports an account's present role to it in a chat (believed: Chatterino and Twitch's own chat know at
   * once).
   */
  #sendUserStates({ broadcasterId, userId }: { broadcasterId: string; userId: string }): void {
    for (const session of this.#sessions)
      for (const [channel, id] of session.channels)
        if (id === broadcasterId && session.user?.id === userId)
          session.sendCommand(
            userStateTags(this.#world, broadcasterId, session.user),
            `${host} USERSTATE ${channel}`,
          );
  }

  #part(session: IrcSession, channel: string): void {
    if (!session.channels.has(channel)) return;
    this.#leave(session, channel);
    session.send(`${prefixOf(session.nick)} PART ${channel}`);
  }

  #leave(session: IrcSession, channel: string): void {
    const broadcasterId = session.channels.get(channel);
    session.channels.delete(channel);
    if (broadcasterId && session.user) this.#world.ircLeft(broadcasterId, session.user.id);
  }

  #handleMessage(session: IrcSession, channel: string, written: string): void {
    const text = shownText(written);
    const broadcaster = this.#world.userByLogin(channel.slice(1));
    const { user } = session;
    if (!user || !broadcaster || text === '') return;
    const refusal = this.#refusalToSpeak(session, broadcaster.id, user.id, text);
    if (refusal) {
      session.sendCommand({ 'msg-id': refusal.id }, `${host} NOTICE ${channel} :${refusal.text}`);
      return;
    }
    this.#speaking = session;
    const line = this.#world.say(broadcaster.id, user.id, text.slice(0, maxMessageLength));
    this.#speaking = null;
    const tags = { ...userStateTags(this.#world, broadcaster.id, user), id: line.id };
    session.sendCommand(tags, `${host} USERSTATE ${channel}`);
  }

  #refusalToSpeak(session: IrcSession, broadcasterId: string, userId: string, text: string) {
    if (!session.maySpeak)
      return { id: 'no_permission', text: "You don't have permission to perform that action." };
    return this.#gate.refusalToSpeak(broadcasterId, userId, text);
  }

  #broadcast(line: ChatLine): void {
    const broadcaster = this.#world.userById(line.broadcasterId);
    const speaker = this.#world.userById(line.userId);
    if (!broadcaster || !speaker) return;
    const channel = `#${broadcaster.login}`;
    const text = line.text.replace(/[\r\n]+/g, ' ');
    const tags = messageTags(this.#world, speaker, line, Date.now());
    const hearing = [...this.#sessions].filter(
      (session) => session !== this.#speaking && session.channels.has(channel),
    );
    this.#world.faults.passLine(() => {
      for (const session of hearing)
        if (line.notice)
          session.sendCommand(
            { ...tags, ...noticeTags(speaker, line) },
            `${host} USERNOTICE ${channel} :${text}`,
          );
        else session.sendTagged(tags, `${prefixOf(speaker.login)} PRIVMSG ${channel} :${text}`);
    });
  }
}
