import { z } from 'zod';
import { knownPasswordField } from '#app/services/forms/form-fields.server.ts';
import { accountRefusals, type RefusalText } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import { codeField, proveWithinLimits } from '#app/services/sign-in/proof-form.server.ts';
import { saveSession, sessionToken } from '#app/services/sign-in/session.server.ts';
import { confirmByPassword, confirmBySecondFactor } from '#domain/identity/session/confirm-identity.ts';
import { csrfCookieFor } from '../csrf.server.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { tooMany } from '../limits.server.ts';
import { userResource } from '../present.server.ts';
import { users } from '../resources.ts';
import { accountsIncluded, base, some } from './fields.ts';

const proofOfIdentity = z.strictObject({
  password: knownPasswordField.optional(),
  code: codeField.optional(),
});

const sessionNeeded: RefusalText = { status: 403, key: 'api.tokenUnconfirmable' };

type Proving = Pick<Call<'verified'>, 'request' | 'db' | 'nowMs' | 'account' | 'address'>;

async function proveByCode({ request, db, nowMs, account, address }: Proving, code: string) {
  const token = (await sessionToken(request)) ?? '';
  const userId = account.id;
  const times = { nowMs, systemMs: Date.now() };
  return proveWithinLimits({ userId, proof: { code } }, address, () =>
    confirmBySecondFactor(db, { userId, token, code }, times),
  );
}

async function proveByPassword({ request, db, nowMs, account, address }: Proving, password: string) {
  const place = { account: account.email, address };
  const wait = await countPassword('confirm', place);
  if (wait > 0) throw tooMany(wait);
  const token = (await sessionToken(request)) ?? '';
  const outcome = await confirmByPassword(db, { userId: account.id, token, password }, nowMs);
  if (outcome.ok) await clearPasswordLimits('confirm', place);
  return outcome;
}

/** The field that each refusal concerns. */
const faultyField = {
  passwordWrong: 'password',
  secondFactorNeeded: 'code',
  secondFactorWrong: 'code',
  passwordMissing: undefined,
  sessionUnknown: undefined,
} as const;

export const identityEndpoints = [
  endpoint({
    method: 'POST',
    path: `${base}/users/confirm`,
    name: 'confirmIdentity',
    access: 'verified',
    body: { type: 'identity-confirmations', attributes: proofOfIdentity },
    includes: accountsIncluded,
    answers: { data: 'one', of: [users] },
    refuses: {
      ...some(
        accountRefusals,
        'passwordMissing',
        'passwordWrong',
        'secondFactorNeeded',
        'secondFactorWrong',
        'sessionUnknown',
      ),
      sessionNeeded,
    },
    async handle(call) {
      const { account, proof, body, refuse } = call;
      if (proof.by !== 'cookie') return refuse('sessionNeeded');
      if (account.hasSecondFactor && body.code === undefined) return refuse('secondFactorNeeded', 'code');
      const outcome =
        body.code === undefined
          ? await proveByPassword(call, body.password ?? '')
          : await proveByCode(call, body.code);
      if (!outcome.ok && 'limit' in outcome) throw tooMany(outcome.waitSeconds);
      if (!outcome.ok) return refuse(outcome.code, faultyField[outcome.code]);
      const cookie = await saveSession(outcome.token);
      return { data: userResource(account), cookies: [cookie, await csrfCookieFor(cookie)] };
    },
  }),
];
