import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultTarget, SteamPerson } from './state.ts';
import type { SteamWorld } from './world.ts';

export type Fields = Record<string, string>;

export type SteamRequest = {
  query: Fields;
  form: Fields;
  cookies: Fields;
  /** The user, identified by cookie or access token. */
  person: SteamPerson | null;
  /** The capture groups of the endpoint's path. */
  parts: string[];
};

export type Answer = { status: number; headers: Record<string, string>; body: string };

export type Endpoint = {
  method: 'GET' | 'POST';
  path: RegExp;
  /** The target under which faults can be ordered; `any` when it has none of its own. */
  target: FaultTarget;
  answer: (world: SteamWorld, request: SteamRequest) => Answer;
};

/** More than any trade offer needs. */
const bodyBytes = 1_000_000;

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

export function html(body: string, status = 200): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

export function text(body: string, status = 200, type = 'text/plain; charset=utf-8'): Answer {
  return { status, headers: { 'content-type': type }, body };
}

export function redirect(location: string): Answer {
  return { status: 302, headers: { location }, body: '' };
}

export function escapeHtml(value: string) {
  const entities: Fields = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return value.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

/** Reads the whole body; null when it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > bodyBytes) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function readCookies(header: string | undefined): Fields {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  return Object.fromEntries(pairs.map(([name = '', ...value]) => [name, decode(value.join('='))]));
}

function decode(value: string) {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export function writeAnswer(response: ServerResponse, answer: Answer) {
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
}
