/** The errors of RFC 6749, 5.2 and RFC 8628, 3.5 that programs are given. */
export type OauthError =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token';

/** The headers of each answer to a program (RFC 6749, 5.1). */
export const oauthHeaders = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

/** An error, with a sentence for whoever writes the program if its name is not enough. */
export const oauthError = (error: OauthError, description?: string): Response =>
  Response.json(
    { error, ...(description && { error_description: description }) },
    { status: 400, headers: oauthHeaders },
  );
