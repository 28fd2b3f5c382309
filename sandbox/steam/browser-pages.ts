import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from './cm.ts';
import { type Answer, readBody, text, writeAnswer } from './http.ts';
import { OpenIdProvider } from './open-id.ts';
import { showPicture } from './pictures.ts';
import type { SteamWorld } from './world.ts';

/** The plain HTTP site for browsers: the sign-in page and item pictures. */
export function browserPages(world: SteamWorld, log: Log) {
  const provider = new OpenIdProvider(world);
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(`http://127.0.0.1${request.url ?? '/'}`);
    if (request.method === 'GET' && url.pathname.startsWith('/images/'))
      return showPicture(world, url.pathname);
    if (url.pathname !== '/openid/login') return text('Not found', 404);
    if (request.method === 'GET') return provider.show(url.searchParams);
    if (request.method !== 'POST') return text('Method not allowed', 405);
    const body = await readBody(request);
    return body === null ? text('Payload too large', 413) : provider.receive(new URLSearchParams(body));
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    answer(request).then(
      (ready) => writeAnswer(response, ready),
      (error: unknown) => {
        log(`${request.method} ${request.url} failed: ${String(error)}`);
        writeAnswer(response, text('The sandbox failed at this request; its log says why.', 500));
      },
    );
  };
}
