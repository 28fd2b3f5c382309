import { config } from '#app/config.server.ts';
import { oauthError } from '#app/http/oauth-error.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { requestAccess } from '#domain/identity/access/request-access.ts';
import { second } from '#domain/kernel/time.ts';
import type { Route } from './+types/device-authorization.ts';
import {
  oauthAnswer,
  oauthTooMany,
  onlyPost,
  programIn,
  readOauthForm,
  refuseUnread,
} from './oauth-form.server.ts';

export const loader = onlyPost;

/** Gives a program without a keyboard its two codes (RFC 8628, 3.1 and 3.2). There are no scopes. */
export async function action({ request, context }: Route.ActionArgs) {
  const refused = refuseUnread(request);
  if (refused) return refused;
  const form = await readOauthForm(request);
  const program = form && programIn(form);
  if (!program) return oauthError('invalid_request');
  if (form.has('scope')) return oauthError('invalid_scope', 'There are no scopes: leave scope out.');
  const wait = await waitSeconds('accessByAddress', context.get(clientAddressContext));
  if (wait > 0) return oauthTooMany(wait);
  const asked = await requestAccess(await database(), { program }, await domainNow());
  const page = new URL('/device', config().publicUrl);
  const complete = new URL(`?${new URLSearchParams({ user_code: asked.userCode })}`, page);
  return oauthAnswer({
    device_code: asked.deviceCode,
    user_code: asked.userCode,
    verification_uri: page.href,
    verification_uri_complete: complete.href,
    expires_in: asked.lifetimeMs / second,
    interval: asked.pauseMs / second,
  });
}
