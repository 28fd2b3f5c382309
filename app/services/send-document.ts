import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants } from 'node:zlib';

/**
 * One level below the default makes pages some 6 % larger, and takes less than half the time. Files are compressed
 * beforehand.
 */
export const pageBrotli = { [constants.BROTLI_PARAM_QUALITY]: 3 };

/** Whether a client accepts Brotli without preferences among encodings. */
export function takesBrotli(request: IncomingMessage): boolean {
  const accepted = request.headers['accept-encoding'];
  return typeof accepted === 'string' && !accepted.includes(';') && /\bbr\b/.test(accepted);
}

/** Sends a whole page in one piece, compressed. */
export function sendDocument(
  response: ServerResponse,
  { status, headers }: Response,
  document: Buffer,
): void {
  headers.append('Vary', 'Accept-Encoding');
  headers.set('Content-Encoding', 'br');
  const body = brotliCompressSync(document, {
    params: { ...pageBrotli, [constants.BROTLI_PARAM_SIZE_HINT]: document.length },
  });
  headers.set('Content-Length', String(body.length));
  // Cookies stay separate, as the iterator yields them.
  response.writeHead(status, [...headers].flat()).end(body);
}
