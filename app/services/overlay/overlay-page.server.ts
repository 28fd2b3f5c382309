import { config } from '#app/config.server.ts';
import type { Preview } from '#app/overlay/protocol.ts';

/** Escapes a text for a document, between tags or within a quoted value. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * The policy of overlays and docks. Styles may stand in the document, because OBS adds the streamer's own there, with
 * fonts and pictures from anywhere; what it refuses would be written into OBS's log with the page's address. `ancestors` may show the page in a frame.
 */
function policyOf(ancestors: "'self'" | "'none'"): string {
  const images = config().steam.imageUrl.origin;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self' 'unsafe-inline' https: data:",
    'font-src https: data:',
    `img-src https: data: ${images}`,
    "connect-src 'self'",
    "form-action 'self'",
    `frame-ancestors ${ancestors}`,
    "base-uri 'none'",
  ].join('; ');
}

/** A page whose address is a secret: no other site learns it from a browser, and nothing keeps the page. */
function secretPage(
  html: string,
  status: number,
  { ancestors, referrer }: { ancestors: "'self'" | "'none'"; referrer: string },
) {
  return new Response(html, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(ancestors),
      'Referrer-Policy': referrer,
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
    },
  });
}

const link = (address: string | undefined) => `<link rel="stylesheet" href="${address ?? ''}">`;
const script = () => `<script src="${import.meta.env.OVERLAY_SCRIPT ?? ''}"></script>`;

/** The document of an overlay. It is empty: its script draws what the stream tells. */
export function overlayPage(
  locale: string,
  { preview, ground }: { preview?: Preview; ground?: string } = {},
): Response {
  const images = escaped(config().steam.imageUrl.href);
  const shown = preview
    ? `<script type="application/json" id="preview">${JSON.stringify(preview).replaceAll('<', '\\u003c')}</script>`
    : '';
  const html = `<!DOCTYPE html><html lang="${locale}"${ground ? ` class="ground--${ground}"` : ''}><head><meta charset="utf-8"><title>Keepsake</title>${link(import.meta.env.OVERLAY_STYLES)}</head><body><div id="overlay" data-images="${images}"></div>${shown}${script()}</body></html>`;
  return secretPage(html, 200, { ancestors: preview ? "'self'" : "'none'", referrer: 'no-referrer' });
}

/** The answer for an address without an overlay or dock: on stream it shows nothing. */
export const nothingHere = (): Response =>
  secretPage(
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>404</title></head><body></body></html>',
    404,
    { ancestors: "'none'", referrer: 'no-referrer' },
  );

/** The document of a dock. Its forms name the site that they come from, and no address. */
export function dockPage(locale: string, title: string, content: string, status = 200): Response {
  const html = `<!DOCTYPE html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title>${link(import.meta.env.DOCK_STYLES)}</head><body><main id="dock">${content}</main>${script()}</body></html>`;
  return secretPage(html, status, { ancestors: "'none'", referrer: 'strict-origin' });
}
