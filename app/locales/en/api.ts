/** What the JSON:API says besides the refusals that pages have as well, and the words of the page that describes it. */
export const api = {
  title: {
    badRequest: 'The request cannot be read',
    unauthorized: 'Not signed in',
    forbidden: 'Not allowed',
    notFound: 'Not found',
    methodNotAllowed: 'Method not allowed',
    notAcceptable: 'Not acceptable',
    conflict: 'Not possible as things stand',
    gone: 'Gone',
    bodyTooLarge: 'The body is too large',
    unsupportedMediaType: 'Unsupported media type',
    invalid: 'Not valid',
    tooMany: 'Too many requests',
    unavailable: 'Not available right now',
    failed: 'Failed',
  },
  badJson: 'The body is no JSON in UTF-8.',
  badDocument: 'The body is no JSON:API document: it needs “data” with “type” and “attributes”.',
  badParameter: 'This parameter has a value that is not known here.',
  unknownParameter: 'There is no such parameter here.',
  badToken: 'This token is not one of ours, or it was revoked.',
  csrfMismatch: 'Ask for /sanctum/csrf-cookie first, and send the value of XSRF-TOKEN as X-XSRF-TOKEN.',
  clientId: 'Ids are given here: leave “id” out.',
  methodNotAllowed: 'This address does not know this method.',
  notAcceptable: 'Answers are application/vnd.api+json, without parameters.',
  wrongId: 'The document is about another id than this address.',
  wrongType: 'The document is of another type than this address takes.',
  bodyTooLarge: 'A body may have 64 KiB at most.',
  unsupportedMediaType: 'Send application/json, or application/vnd.api+json without parameters.',
  unknownField: 'There is no such field, or it is not yours to set.',
  timedOut: 'This took longer than 30 seconds.',
  sessionNeeded:
    'Your account has no password to confirm this with. Sign in on the site, and do it in your profile.',
  badRequestId: 'Idempotency-Key must be a UUID of version 7 that was made within the last day.',
  passwordsDiffer: 'Both passwords must be the same.',
  docs: {
    title: 'The API',
    lede: 'Everything that the pages do, as JSON:API for programs. The same, for machines:',
    signingIn: 'How to call it',
    cookies:
      'With cookies: ask for /sanctum/csrf-cookie before every call that changes something, and send the value of the cookie XSRF-TOKEN as the header X-XSRF-TOKEN.',
    tokens:
      'With a token: send it as Authorization: Bearer. Tokens are made in the settings, or exchanged for a code of /extension/code. No XSRF-TOKEN is needed then.',
    bodies:
      'Bodies are plain JSON objects with the fields below (application/json), or JSON:API documents with the fields as attributes (application/vnd.api+json). Every answer is application/vnd.api+json.',
    lists:
      'Lists come in pages: page[size] up to 100, and links.next leads on. fields[type] chooses fields, include adds what a resource points at, filter[name] narrows a list.',
    repeats:
      'A call that may be repeated takes Idempotency-Key, a UUID of version 7: a second submit under the same key answers the first.',
    links:
      'A link in a mail leads to a page: GET /email/verify?token=… shows a button and changes nothing, because mail scanners open links as well. POST on that page verifies, and so does a call with the token, below.',
    endpoint: 'Call',
    fields: 'Body',
    parameters: 'Parameters',
    refusals: 'Refusals',
    optional: '(optional)',
    access: { anyone: 'anyone', signedIn: 'signed in', verified: 'verified address' },
  },
} as const;
