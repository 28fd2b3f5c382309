/**
 * The JSON:API's texts besides the refusals that it shares with pages, and the words of the page that
 * describes it.
 */
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
  unavailable:
    'The database does not answer at the moment. Repeat the request with the same Idempotency-Key.',
  sessionNeeded:
    'Your account has no password to confirm this with. Sign in on the site and do it in your profile.',
  tokenUnconfirmable:
    'An API token cannot be confirmed. Sign in with POST /api/v1/login: its session counts as confirmed for ten minutes.',
  badRequestId: 'Idempotency-Key must be a version 7 UUID created within the last day.',
  passwordsDiffer: 'The passwords must match.',
  docs: {
    title: 'The API',
    lede: 'Almost everything you can do on the site is available to programs as JSON:API; what is not is listed below. The machine-readable description, with every type and limit:',
    signingIn: 'How to call it',
    cookies:
      'With cookies: request /sanctum/csrf-cookie before every call that changes something, and send the value of the XSRF-TOKEN cookie in the X-XSRF-TOKEN header.',
    tokens:
      'With a token: send it as Authorization: Bearer. Create tokens in the settings, or exchange a code from /extension/code for one; a program without a keyboard gets one by the device flow of OAuth (RFC 8628), whose addresses are in /.well-known/oauth-authorization-server. Calls with a token need no XSRF-TOKEN.',
    bodies:
      'Bodies are plain JSON objects with the fields below (application/json), or JSON:API documents with the fields as attributes (application/vnd.api+json). Every response is application/vnd.api+json.',
    lists:
      'Lists are paged: page[size] is at most 100, and links.next is the next page. fields[type] selects fields, include adds related resources, filter[name] narrows a list.',
    repeats:
      'Calls that are safe to repeat take Idempotency-Key, a version 7 UUID: repeating a call with the same key returns the first result.',
    links:
      'A link in an email opens a page: GET /email/verify?token=… shows a button and changes nothing, because mail scanners open links too. POST to that page verifies, and so does a call with the token (see below).',
    confirming: {
      title: 'Confirming an identity',
      calls:
        'These calls can cost items or access, or may: they need a session that was opened (unless by Twitch, which may not have asked) or confirmed within the last ten minutes.',
      refused:
        'Otherwise they do nothing and answer 403 with the code identityUnconfirmed. meta.confirm says how this caller confirms: the call, its fields, and the page that does the same.',
      session:
        'With cookies: send these fields to POST /api/v1/users/confirm and call again. It takes the password or, with two-factor authentication, a code of the app or a recovery code. The answer sets a new session cookie and a new XSRF-TOKEN; the old ones end.',
      replaced:
        'For ten seconds a call with the old cookie answers 401 with the code sessionReplaced, and has done nothing: call again with the new one. After that it is unauthorized. Calls that anyone may make are answered as to a visitor.',
      token:
        'With a token: a token is never confirmed. Sign in with POST /api/v1/login, whose session counts as confirmed for ten minutes, call with that session, and end it with POST /api/v1/logout.',
      page: 'Without fields the account has no password: its owner confirms with Twitch on the page that meta.confirm names, in the browser that has the session. Passkeys work there too.',
      wrong:
        'A wrong password or code answers 422 and points to its field. After too many of them the answer is 429, and Retry-After says for how many seconds.',
    },
    onlyOnSite: {
      title: 'Only on the site',
      steam: 'Connecting Steam.',
      twitch: 'Consenting at Twitch: the API starts it, and a browser goes there and comes back.',
      passkey: 'Signing in with a passkey.',
      confirmation: 'Confirming an identity with Twitch or a passkey.',
      secondFactor: 'Two-factor authentication: the app, passkeys and recovery codes.',
      sessions: 'Seeing and ending other sessions.',
      tokens: 'Seeing, creating and revoking API tokens. A token can revoke itself with POST /api/v1/logout.',
      appCode: 'Getting the code that an app exchanges for a token.',
      programs: 'Allowing or refusing a program that shows a code.',
      freeze: 'Looking through what “This wasn’t me” froze, and ending the freeze.',
      wins: 'Remembering that you were shown the card of a delivered reward.',
      announcing: 'Having the bot tell your chat about an open rule.',
      devices: 'Turning notices on for a device, and choosing what it is told of.',
      privacy: 'Hiding your name on public pages, exporting your data and deleting your account.',
      channel:
        'What is said in your channel’s chat and by which commands, who cannot earn there, and whether the channel is shown to everyone.',
      exports: 'Files (CSV) of what viewers and you yourself got; the API lists the same.',
      mails: 'Links in mails: “This wasn’t me”, and confirming a message to the operator.',
      operator: 'Pages of the operator.',
    },
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
