/** What the JSON:API says besides the refusals that pages have as well, and the words of the page that describes it. */
export const api = {
  title: {
    badRequest: 'The request cannot be read',
    unauthorized: 'Not signed in',
    forbidden: 'Not allowed',
    notFound: 'Not found',
    methodNotAllowed: 'Method not allowed',
    notAcceptable: 'Not acceptable',
    conflict: 'Not possible right now',
    gone: 'No longer valid',
    bodyTooLarge: 'The body is too large',
    unsupportedMediaType: 'Unsupported media type',
    invalid: 'Not valid',
    tooMany: 'Too many requests',
    unavailable: 'Not available right now',
    failed: 'Failed',
  },
  badJson: 'The body is not valid UTF-8 JSON.',
  badDocument: 'The body is not a JSON:API document: it needs “data” with “type” and “attributes”.',
  badParameter: 'This parameter does not accept that value.',
  unknownParameter: 'This endpoint has no such parameter.',
  sessionReplaced:
    'This session got a new cookie a moment ago, and nothing was done. Call again with the new cookie.',
  badToken: 'This token is unknown or has been revoked.',
  csrfMismatch: 'Request /sanctum/csrf-cookie first, then send the value of XSRF-TOKEN as X-XSRF-TOKEN.',
  clientId: 'The server assigns ids: leave “id” out.',
  methodNotAllowed: 'This address does not support that method.',
  notAcceptable: 'Responses are application/vnd.api+json, without parameters.',
  wrongId: 'The id in the document does not match the address.',
  wrongType: 'This address expects a document of another type.',
  bodyTooLarge: 'A body can be at most 64 KiB.',
  unsupportedMediaType: 'Send application/json, or application/vnd.api+json without parameters.',
  unknownField: 'There is no such field, or you cannot set it.',
  timedOut: 'The request took longer than 30 seconds.',
  sessionNeeded:
    'Your account has no password to confirm this with. Sign in on the site and do it in your profile.',
  tokenUnconfirmable:
    'An API token cannot be confirmed. Sign in with POST /api/v1/login: its session counts as confirmed for ten minutes.',
  badRequestId: 'Idempotency-Key must be a version 7 UUID created within the last day.',
  passwordsDiffer: 'The passwords must match.',
  docs: {
    title: 'The API',
    lede: 'Almost everything you can do on the site is available to programs as JSON:API. Only on the site: connecting Steam, sessions, tokens, the data export and deleting your account. The machine-readable description, with every type and limit:',
    signingIn: 'How to call it',
    cookies:
      'With cookies: request /sanctum/csrf-cookie before every call that changes something, and send the value of the XSRF-TOKEN cookie in the X-XSRF-TOKEN header.',
    tokens:
      'With a token: send it as Authorization: Bearer. Create tokens in the settings, or exchange a code from /extension/code for one. Calls with a token need no XSRF-TOKEN.',
    bodies:
      'Bodies are plain JSON objects with the fields below (application/json), or JSON:API documents with the fields as attributes (application/vnd.api+json). Every response is application/vnd.api+json.',
    lists:
      'Lists are paged: page[size] is at most 100, and links.next is the next page. fields[type] selects fields, include adds related resources, filter[name] narrows a list.',
    repeats:
      'Calls that are safe to repeat take Idempotency-Key, a version 7 UUID: repeating a call with the same key returns the first result.',
    links:
      'A link in an email opens a page: GET /email/verify?token=… shows a button and changes nothing, because mail scanners open links too. POST to that page verifies, and so does a call with the token (see below).',
    endpoint: 'Call',
    fields: 'Body',
    parameters: 'Parameters',
    refusals: 'Refusals',
    answer: 'Returns:',
    resources: 'Resources',
    resource: 'Resource',
    attributes: 'Attributes',
    relationships: 'Relationships',
    optional: '(optional)',
    access: { anyone: 'anyone', signedIn: 'signed in', verified: 'verified email' },
  },
} as const;
