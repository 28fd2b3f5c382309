import { ApiFailure } from '#app/api/failure.ts';
import { admitCaller } from '#app/api/limits.server.ts';
import { type OauthError, oauthError } from '#app/http/oauth-error.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { type DeviceCodeRefusal, redeemDeviceCode } from '#domain/identity/access/redeem-device-code.ts';
import type { Route } from './+types/token.ts';
import { deviceGrant } from './device-grant.ts';
import {
  oauthAnswer,
  oauthTooMany,
  onlyPost,
  programIn,
  readOauthForm,
  refuseUnread,
} from './oauth-form.server.ts';

export const loader = onlyPost;

const errors: Record<DeviceCodeRefusal, OauthError> = {
  unknown: 'invalid_grant',
  expired: 'expired_token',
  tooSoon: 'slow_down',
  waiting: 'authorization_pending',
  refused: 'access_denied',
};

/** The seconds that an address has to wait; 0 if this call is accepted. */
async function waitOf(address: string): Promise<number> {
  try {
    await admitCaller(address);
    return 0;
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return Number(error.headers['Retry-After']);
  }
}

/** Answers a program that asks whether its request was allowed (RFC 8628, 3.4 and 3.5): with a token once, or with why not. */
export async function action({ request, context }: Route.ActionArgs) {
  const wait = await waitOf(context.get(clientAddressContext));
  if (wait > 0) return oauthTooMany(wait);
  const refused = refuseUnread(request);
  if (refused) return refused;
  const form = await readOauthForm(request);
  const [grant, deviceCode] = [form?.get('grant_type'), form?.get('device_code')];
  if (!form || !grant) return oauthError('invalid_request');
  if (grant !== deviceGrant) return oauthError('unsupported_grant_type');
  const program = programIn(form);
  if (!program || !deviceCode) return oauthError('invalid_request');
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const redeemed = await redeemDeviceCode(await database(), { deviceCode, program }, times);
  if (!redeemed.ok) return oauthError(errors[redeemed.code]);
  return oauthAnswer({ access_token: redeemed.token, token_type: 'Bearer' });
}
