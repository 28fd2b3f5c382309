/** What stands in a log where something was that does not belong there. */
export const redacted = '[redacted]';

/** Parts of the names of fields whose values are secrets or name a person. */
const secret =
  '(?:token|secret|password|cookie|authorization|passphrase|api[-_]?key|encryption[-_]?key|email|recipient|proof|seed)';
const name = `[\\w.-]{0,40}${secret}[\\w.-]{0,40}`;
const text = '"(?:[^"\\\\]|\\\\.)*"';
const list = `\\[(?:[^\\]"]|${text})*\\]`;
const record = `\\{(?:[^{}"]|${text})*\\}`;

/** Patterns over a finished line of JSON, so that what slipped into a message or a stack is found as well. */
const rules: readonly [RegExp, string][] = [
  // A field of the line, however deep, that holds a text, a list or a flat record. Numbers and dates are no secrets.
  [new RegExp(`("${name}":)(?:${text}|${list}|${record})`, 'gi'), `$1"${redacted}"`],
  // JSON that was logged as text.
  [new RegExp(`(\\\\"${name}\\\\":\\s*\\\\")(?:(?!\\\\").)*`, 'gi'), `$1${redacted}`],
  [/\b(bearer|basic|oauth)([\s:]+)[\w.~+/=-]{8,}/gi, `$1$2${redacted}`],
  // An address' query, a form, a cookie, a header.
  [
    new RegExp(`(\\b${name}\\s*[=:]\\s*)(?!\\[redacted|bearer|basic|oauth)[^\\s"\\\\&;,}]+`, 'gi'),
    `$1${redacted}`,
  ],
  [/(\bkeepsake_[\w-]{1,40}=)[^;\s"\\]+/g, `$1${redacted}`],
  // JSON Web Tokens (Steam's refresh tokens), password hashes, passwords in addresses.
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, redacted],
  [/\$argon2\w*\$[^\s"\\]+/g, redacted],
  [/(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/:@"\\]*:[^\s/@"\\]+@/gi, `$1${redacted}@`],
  // Our own tokens are 43 letters of base64url, Twitch's 30 small letters and digits.
  [/(?<![\w/-])[\w-]{43,}(?![\w-])/g, redacted],
  [/(?<![\w-])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{30}(?![\w-])/g, redacted],
  [/[^\s"'\\<>(),:;@=/[\]]{1,64}@[^\s"'\\<>(),:;@]{1,255}\.[a-z]{2,24}/gi, redacted],
];

/** Takes tokens, secrets, cookies and mail addresses out of a finished line of a log. */
export const redactLine = (line: string): string =>
  rules.reduce((cleaned, [pattern, instead]) => cleaned.replace(pattern, instead), line);
