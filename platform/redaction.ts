/** Replaces redacted values in logs. */
export const redacted = '[redacted]';

/** Parts of field names whose values are secrets or personal data. */
const secret =
  '(?:token|secret|password|cookie|authorization|passphrase|api[-_]?key|encryption[-_]?key|email|recipient|proof|seed)';
const name = `[\\w.-]{0,40}${secret}[\\w.-]{0,40}`;
const text = '"(?:[^"\\\\]|\\\\.)*"';
const list = `\\[(?:[^\\]"]|${text})*\\]`;
const record = `\\{(?:[^{}"]|${text})*\\}`;

/** Patterns applied to a finished JSON line, so that values inside messages and stacks are found too. */
const rules: readonly [RegExp, string][] = [
  // A field at any depth with a string, list or flat object. Numbers and dates are not secret.
  [new RegExp(`("${name}":)(?:${text}|${list}|${record})`, 'gi'), `$1"${redacted}"`],
  // JSON logged as a string.
  [new RegExp(`(\\\\"${name}\\\\":\\s*\\\\")(?:(?!\\\\").)*`, 'gi'), `$1${redacted}`],
  [/\b(bearer|basic|oauth)([\s:]+)[\w.~+/=-]{8,}/gi, `$1$2${redacted}`],
  // A URL's query, a form, a cookie, a header.
  [
    new RegExp(`(\\b${name}\\s*[=:]\\s*)(?!\\[redacted|bearer|basic|oauth)[^\\s"\\\\&;,}]+`, 'gi'),
    `$1${redacted}`,
  ],
  [/(\bkeepsake_[\w-]{1,40}=)[^;\s"\\]+/g, `$1${redacted}`],
  // JSON Web Tokens (Steam's refresh tokens), password hashes, passwords in URLs.
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, redacted],
  [/\$argon2\w*\$[^\s"\\]+/g, redacted],
  [/(\b[a-z][a-z\d+.-]{1,20}:\/\/)[^\s/:@"\\]*:[^\s/@"\\]+@/gi, `$1${redacted}@`],
  // Our tokens are 43 characters of base64url, Twitch's 30 lowercase letters and digits.
  [/(?<![\w/-])[\w-]{43,}(?![\w-])/g, redacted],
  [/(?<![\w-])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{30}(?![\w-])/g, redacted],
  // The database has domains as people read them, in any script.
  [/[^\s"'\\<>(),:;@=/[\]]{1,64}@[^\s"'\\<>(),:;@]{1,255}\.[a-z\u0080-\uffff]{2,24}/gi, redacted],
];

/** Redacts tokens, secrets, cookies and mail addresses in a finished log line. */
export const redactLine = (line: string): string =>
  rules.reduce((cleaned, [pattern, instead]) => cleaned.replace(pattern, instead), line);
