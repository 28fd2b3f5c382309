import { config } from '#app/config.server.ts';
import { deviceGrant } from './device-grant.ts';

/** Tells programs where to ask for access (RFC 8414, with the address of RFC 8628, 4). */
export function loader(): Response {
  const { origin } = config().publicUrl;
  return Response.json(
    {
      issuer: origin,
      device_authorization_endpoint: `${origin}/oauth/device_authorization`,
      token_endpoint: `${origin}/oauth/token`,
      token_endpoint_auth_methods_supported: ['none'],
      grant_types_supported: [deviceGrant],
      response_types_supported: [],
      service_documentation: `${origin}/api/docs`,
    },
    { headers: { 'Cache-Control': 'public, max-age=300' } },
  );
}
