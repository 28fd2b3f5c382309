/** Security headers that are the same for every answer, whether a page or a file. */
export const fixedHeaders = (hsts: string | null): [string, string][] => [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'strict-origin-when-cross-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ...(hsts === null ? [] : [['Strict-Transport-Security', hsts] satisfies [string, string]]),
];

/** Pages of other sites may not use the answer. */
export const ownResource: [string, string] = ['Cross-Origin-Resource-Policy', 'same-origin'];

/**
 * The policy of a file that someone opens by its own address: pictures and scripts of this origin, which workers are made
 * of, styles in the file itself, and nothing else.
 */
export const filePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

/** The policy of the script of overlays, which as a worker reads the stream of events. */
export const overlayScriptPolicy = `${filePolicy}; connect-src 'self'`;
