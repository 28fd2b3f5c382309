import { database } from '#app/services/database.server.ts';
import { findPublicPushKey } from '#domain/push/push-keys.ts';
import script from './service-worker-script.js?raw';

/** Serves the service worker. Its address has to stay the same, and to be at the root, so that all pages are in its scope. */
export async function loader() {
  const publicKey = await findPublicPushKey((await database()).read);
  return new Response(script.replace('%SERVER_KEY%', publicKey ?? ''), {
    headers: { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-cache' },
  });
}
