import { createHash } from 'node:crypto';
import { data, type RouterContextProvider } from 'react-router';
import { processLog } from '#app/http/logger.server.ts';
import { isLanguage, type Language } from '#app/locales/languages.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import type { Database } from '#db/database.ts';
import { minute } from '#domain/kernel/time.ts';
import { imageOf } from './item-images.server.ts';
import type { SharePicture } from './share-picture.ts';

/** Part of a picture's version: changes with how pictures are drawn. */
const DRAWING = 1;
/** Others may show a picture for this long without requesting it again. */
const FRESH_SECONDS = 300;
/** A picture in which the item is only a drawing is cached for this long. */
const INCOMPLETE_MS = minute;
const MAX_CACHED_BYTES = 16 * 1024 * 1024;

interface Drawn {
  png: Promise<Buffer>;
  bytes: number;
  until: number;
}

const drawn = new Map<string, Drawn>();
let last: Promise<unknown> = Promise.resolve();

/** The version of a picture follows from all that is drawn. */
const versionOf = (picture: SharePicture): string =>
  createHash('sha256')
    .update(JSON.stringify([DRAWING, picture]))
    .digest('base64url')
    .slice(0, 22);

interface PictureRequest {
  request: Request;
  params: { language: string } & Record<string, string | undefined>;
  context: Readonly<RouterContextProvider>;
}

/**
 * Answers with a page's share picture as PNG, in the language of its address. It is drawn once for each
 * version and process, one after another, and a client that has the version gets no picture at all.
 *
 * @param describe reads the picture's content; null if its page does not exist
 */
export async function pictureResponse(
  { request, params, context }: PictureRequest,
  describe: (db: Database, language: Language) => Promise<SharePicture | null>,
): Promise<Response> {
  const { language, ...named } = params;
  // PostgreSQL refuses text with a zero byte.
  const isReadable = isLanguage(language) && !Object.values(named).some((name) => name?.includes('\0'));
  const picture = isReadable ? await describe(await database(), language) : null;
  if (!picture) throw data(null, { status: 404 });
  const version = versionOf(picture);
  const headers = {
    ETag: `"${version}"`,
    'Cache-Control': `public, max-age=${FRESH_SECONDS}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  };
  if (request.headers.get('If-None-Match')?.includes(version))
    return new Response(null, { status: 304, headers });
  let found = findDrawn(version);
  if (!found) {
    const wait = await waitSeconds('pictureByAddress', context.get(clientAddressContext));
    if (wait > 0) throw data(null, tooManyInit(wait));
    found = draw(version, picture);
  }
  try {
    const png = new Uint8Array(await found.png);
    return new Response(png, {
      headers: { ...headers, 'Content-Type': 'image/png', 'Content-Length': String(png.length) },
    });
  } catch (error) {
    processLog.error({ err: error }, 'could not draw a share picture: the link is shown without');
    throw data(null, { status: 503, headers: { 'Retry-After': '600' } });
  }
}

function findDrawn(version: string): Drawn | null {
  const found = drawn.get(version);
  if (!found || found.until <= performance.now()) return null;
  drawn.delete(version);
  drawn.set(version, found);
  return found;
}

/** Pictures are drawn one after another: each takes a core for some 50 ms. */
function draw(version: string, picture: SharePicture): Drawn {
  const entry: Drawn = { png: Promise.resolve(Buffer.alloc(0)), bytes: 0, until: Number.POSITIVE_INFINITY };
  const work = last.then(async () => {
    // Loaded for the first picture: an instance that is not linked to never needs the library.
    const { drawPicture } = await import('./draw-picture.server.ts');
    return drawPicture(picture, imageOf);
  });
  last = work.catch(() => {});
  entry.png = work.then(({ png, whole }) => {
    entry.bytes = png.length;
    if (!whole) entry.until = performance.now() + INCOMPLETE_MS;
    dropOldest();
    return png;
  });
  entry.png.catch(() => drawn.delete(version));
  drawn.set(version, entry);
  return entry;
}

function dropOldest(): void {
  let total = 0;
  for (const { bytes } of drawn.values()) total += bytes;
  for (const [version, { bytes }] of drawn) {
    if (total <= MAX_CACHED_BYTES) return;
    drawn.delete(version);
    total -= bytes;
  }
}
