import type { WebSocket } from 'ws';
import { Authentication, type ServiceAnswer } from './cm-authentication.ts';
import {
  decodeBody,
  decodeMessage,
  encodeBody,
  encodeMessage,
  type Header,
  messageNumber,
} from './cm-messages.ts';
import type { Connection } from './connections.ts';
import { eresult } from './refusals.ts';
import { readToken } from './tokens.ts';
import type { SteamWorld } from './world.ts';

export type Log = (message: string) => void;

const result = { ok: 1, fail: 2, invalidPassword: 5 } as const;
const heartbeatSeconds = 9;
const tradeOfferNotification = 1;
const loopback = 0x7f00_0001;

const emsg = {
  logon: messageNumber('ClientLogon'),
  logonResponse: messageNumber('ClientLogOnResponse'),
  accountLimits: messageNumber('ClientIsLimitedAccount'),
  logOff: messageNumber('ClientLogOff'),
  loggedOff: messageNumber('ClientLoggedOff'),
  userNotifications: messageNumber('ClientUserNotifications'),
  itemAnnouncements: messageNumber('ClientItemAnnouncements'),
  serviceCall: messageNumber('ServiceMethodCallFromClient'),
  serviceCallNonAuthed: messageNumber('ServiceMethodCallFromClientNonAuthed'),
  serviceResponse: messageNumber('ServiceMethodResponse'),
} as const;

/** Gives access tokens, and new refresh tokens. */
const RENEWAL = 'Authentication.GenerateAccessTokenForApp#1';

/** A connection manager: the WebSocket server that Steam clients stay connected to. */
export class ConnectionManager {
  readonly #world: SteamWorld;
  readonly #log: Log;
  readonly #authentication: Authentication;

  constructor(world: SteamWorld, log: Log) {
    this.#world = world;
    this.#log = log;
    this.#authentication = new Authentication(world);
  }

  handle(socket: WebSocket) {
    new ClientSession(socket, this.#world, this.#authentication, this.#log).start();
  }
}

class ClientSession implements Connection {
  readonly #socket: WebSocket;
  readonly #world: SteamWorld;
  readonly #authentication: Authentication;
  readonly #log: Log;
  #steamId = '0';
  #sessionId = 0;
  #logonId = 0;
  #waitingOffers = 0;

  constructor(socket: WebSocket, world: SteamWorld, authentication: Authentication, log: Log) {
    this.#socket = socket;
    this.#world = world;
    this.#authentication = authentication;
    this.#log = log;
  }

  start() {
    this.#socket.on('message', (data) => {
      try {
        this.#receive(data as Buffer);
      } catch (error) {
        this.#log(`CM closed a connection over a message it could not read: ${String(error)}`);
        this.#socket.terminate();
      }
    });
    this.#socket.on('error', (error) => this.#log(`CM socket: ${error.message}`));
    this.#socket.on('close', () => this.#world.detach(this.#steamId, this));
  }

  /**
   * Makes the client reread its offers. steam-user ignores a notification with an unchanged number of waiting offers,
   * so a change to an offer that the client itself sent is announced as new items.
   */
  notify(waitingOffers: number) {
    const changed = waitingOffers !== this.#waitingOffers;
    this.#waitingOffers = waitingOffers;
    if (changed) {
      const notifications = [{ user_notification_type: tradeOfferNotification, count: waitingOffers }];
      this.#send(emsg.userNotifications, encodeBody('CMsgClientUserNotifications', { notifications }));
    } else {
      this.#send(emsg.itemAnnouncements, encodeBody('CMsgClientItemAnnouncements', { count_new_items: 1 }));
    }
  }

  get logonId(): number {
    return this.#logonId;
  }

  kick(eresult: number) {
    this.#send(emsg.loggedOff, encodeBody('CMsgClientLoggedOff', { eresult }));
  }

  close() {
    this.#socket.close();
  }

  #receive(frame: Buffer) {
    const { type, header, body } = decodeMessage(frame);
    if (type === emsg.logon) this.#logOn(body);
    else if (type === emsg.logOff) this.#logOff();
    else if (type === emsg.serviceCall || type === emsg.serviceCallNonAuthed) this.#call(header, body);
    // Heartbeats, greetings and statistics need no reply.
  }

  #logOn(body: Buffer) {
    const logon = decodeBody('CMsgClientLogon', body);
    const person = readToken(this.#world.state, String(logon.access_token), 'refresh');
    const refused = person && this.#world.takeFault('logOn', person.steamId);
    if (person === null || refused !== null) {
      const effect = refused?.effect;
      const refusal = { eresult: effect?.kind === 'result' ? effect.eresult : result.invalidPassword };
      return this.#send(emsg.logonResponse, encodeBody('CMsgClientLogonResponse', refusal));
    }
    this.#steamId = person.steamId;
    this.#sessionId = 1 + Math.floor(Math.random() * 1e6);
    this.#logonId = Number((logon.obfuscated_private_ip as { v4?: number } | undefined)?.v4 ?? 0);
    this.#world.attach(person.steamId, this);
    this.#log(`CM ${person.name} logged on`);
    this.#send(
      emsg.logonResponse,
      encodeBody('CMsgClientLogonResponse', {
        eresult: result.ok,
        heartbeat_seconds: heartbeatSeconds,
        cell_id: 1,
        client_supplied_steamid: person.steamId,
        vanity_url: '',
        public_ip: { v4: loopback },
      }),
    );
    // Unasked, after each log-on (steam-user, components/account.js).
    const { isLimited = false, isLocked = false } = person;
    const limits = { bis_limited_account: isLimited, bis_locked_account: isLocked };
    this.#send(emsg.accountLimits, encodeBody('CMsgClientIsLimitedAccount', limits));
    const waiting = this.#world.waitingOffersOf(person.steamId);
    if (waiting > 0) this.notify(waiting);
  }

  #logOff() {
    this.kick(result.ok);
    this.#socket.close();
  }

  #call(header: Header, body: Buffer) {
    const name = header.target_job_name ?? '';
    const service = this.#authentication.services[name];
    if (service === undefined) return this.#reply(header, { eresult: result.fail, body: {} }, null);
    const refused = name === RENEWAL ? this.#renewalRefusal() : null;
    if (refused !== null) return this.#reply(header, { eresult: refused, body: {} }, service.response);
    this.#reply(header, service.answer(decodeBody(service.request, body)), service.response);
  }

  /** The result with which the account gets no tokens, or null if it gets them. */
  #renewalRefusal(): number | null {
    const steamId = this.#steamId === '0' ? null : this.#steamId;
    const fault = this.#world.takeFault('renewal', steamId);
    if (fault?.effect.kind === 'result') return fault.effect.eresult;
    const { dialect, people } = this.#world.state;
    const first = people.find(({ login }) => login !== null);
    const isRefused = dialect.renewals === 'refused' && steamId !== null && steamId !== first?.steamId;
    return isRefused ? eresult.accessDenied : null;
  }

  #reply(header: Header, answer: ServiceAnswer, response: string | null) {
    const body = response === null ? new Uint8Array() : encodeBody(response, answer.body);
    this.#send(emsg.serviceResponse, body, {
      eresult: answer.eresult,
      ...(header.target_job_name !== undefined && { target_job_name: header.target_job_name }),
      ...(header.jobid_source !== undefined && { jobid_target: header.jobid_source }),
    });
  }

  #send(type: number, body: Uint8Array, header: Header = {}) {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const own = { steamid: this.#steamId, client_sessionid: this.#sessionId };
    this.#socket.send(encodeMessage(type, { ...own, ...header }, body));
  }
}
