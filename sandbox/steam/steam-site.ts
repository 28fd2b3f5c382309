import type { IncomingMessage, ServerResponse } from 'node:http';
import { replayOf } from '../shapes/replay.ts';
import type { Log } from './cm.ts';
import { communityEndpoints } from './community.ts';
import {
  type Answer,
  type Endpoint,
  json,
  readBody,
  readCookies,
  type SteamRequest,
  text,
  writeAnswer,
} from './http.ts';
import { refuse, refuseInWords } from './refusals.ts';
import type { Fault, FaultTarget } from './state.ts';
import { readToken } from './tokens.ts';
import { refusalAnswer } from './trade-pages.ts';
import { webApiEndpoints } from './web-api.ts';
import type { SteamWorld } from './world.ts';

const apiHost = 'api.steampowered.com';
const communityHost = 'steamcommunity.com';
const sites = new Map<string, Endpoint[]>([
  [apiHost, webApiEndpoints],
  [communityHost, communityEndpoints],
]);

/** Requests wait for this before they take effect, and again before they are answered. */
export type Hold = (target: FaultTarget, when: Fault['when']) => Promise<void> | undefined;

/** Steam's web sites behind the proxy: finds the endpoint, applies pending faults and answers. */
export class SteamSite {
  readonly #world: SteamWorld;
  readonly #log: Log;
  readonly #hold: Hold;

  constructor(world: SteamWorld, log: Log, hold: Hold = () => undefined) {
    this.#world = world;
    this.#log = log;
    this.#hold = hold;
  }

  async handle(request: IncomingMessage, response: ServerResponse) {
    try {
      await this.#handle(request, response);
    } catch (error) {
      this.#log(`${request.method} ${request.url} failed: ${String(error)}`);
      if (response.headersSent) response.destroy();
      else writeAnswer(response, text('The sandbox failed at this request; its log says why.', 500));
    }
  }

  async #handle(request: IncomingMessage, response: ServerResponse) {
    const host = (request.headers.host ?? '').replace(/:443$/, '');
    const url = new URL(`https://${host}${request.url ?? '/'}`);
    const body = request.method === 'POST' ? await readBody(request) : '';
    if (body === null) return writeAnswer(response, text('Payload too large', 413));
    const found = find(sites.get(host) ?? [], request.method, url.pathname);
    if (found === null) {
      this.#log(`not simulated: ${request.method} ${host}${url.pathname}`);
      return writeAnswer(response, text('Not found', 404));
    }
    const read = this.#read(request, url, body, found.parts);
    const { target } = found.endpoint;
    await this.#hold(target, 'before');
    const fault = this.#world.takeFault(target, read.person?.steamId ?? null);
    if (fault?.when === 'before') return spoil(response, fault, host);
    const answer = found.endpoint.answer(this.#world, read);
    await this.#hold(target, 'after');
    if (fault !== null) return spoil(response, fault, host);
    writeAnswer(response, this.#replayed(url, answer));
  }

  /** The answer in the reported shapes that are replayed. */
  #replayed({ hostname, pathname }: URL, answer: Answer): Answer {
    if (!answer.headers['content-type']?.startsWith('application/json')) return answer;
    const path = pathname.replace(/^\/|\/$/g, '');
    const place = hostname === apiHost ? path : path.replace(/\/.*/, '');
    const body = JSON.stringify(replayOf(this.#world).answer(place, JSON.parse(answer.body)));
    return { ...answer, body };
  }

  #read(request: IncomingMessage, url: URL, body: string, parts: string[]): SteamRequest {
    const query = Object.fromEntries(url.searchParams);
    const form = Object.fromEntries(new URLSearchParams(body));
    const cookies = readCookies(request.headers.cookie);
    const token = query.access_token ?? form.access_token ?? cookies.steamLoginSecure?.split('||')[1];
    const person = token === undefined ? null : readToken(this.#world.state, token, 'access');
    return { query, form, cookies, person, parts };
  }
}

function find(endpoints: Endpoint[], method: string | undefined, path: string) {
  for (const endpoint of endpoints) {
    const match = endpoint.method === method ? endpoint.path.exec(path) : null;
    if (match !== null) return { endpoint, parts: match.slice(1) };
  }
  return null;
}

/** Answers with the fault's effect, whatever the request did. */
function spoil(response: ServerResponse, fault: Fault, host: string) {
  const { effect } = fault;
  if (effect.kind === 'drop') return response.destroy();
  if (effect.kind === 'status') return writeAnswer(response, statusAnswer(effect));
  if (effect.kind === 'body') return writeAnswer(response, json(effect.body, 200, { 'x-eresult': '1' }));
  const answer =
    effect.kind === 'words'
      ? refusalAnswer(refuseInWords(0, effect.message))
      : resultAnswer(effect.eresult, host);
  writeAnswer(response, answer);
}

function statusAnswer(effect: { status: number; retryAfterSeconds?: number | undefined }): Answer {
  const seconds = effect.retryAfterSeconds;
  return json(null, effect.status, seconds === undefined ? {} : { 'retry-after': String(seconds) });
}

/** The Web API reports a result in a header, the trade pages in a sentence. */
function resultAnswer(result: number, host: string): Answer {
  if (host === apiHost) return json({ response: {} }, 200, { 'x-eresult': String(result) });
  const itemServerDown = 20;
  const detail =
    result === itemServerDown ? "<br><br>Steam was unable to contact the game's item server." : '';
  return refusalAnswer(refuse('send', result, detail));
}
