import type { Submission } from '@conform-to/dom';
import { parseWithZod } from '@conform-to/zod/v4';
import { z } from 'zod';
import type { AskedProof } from '#app/routes/account/proof-forms.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, requiredText } from '#app/services/forms/form-fields.server.ts';
import {
  codesExhaustedText,
  replyInvalid,
  replyRefused,
  replyTooMany,
} from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import {
  clearProofLimits,
  countProof,
  type TooManyAttempts,
} from '#app/services/limits/proof-limits.server.ts';
import { passkeySite } from '#app/services/sign-in/passkey-site.server.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { askForPasskey } from '#domain/identity/second-factor/passkeys/ask-for-passkey.ts';
import type { SecondFactorProof } from '#domain/identity/second-factor/prove-second-factor.ts';
import type { Outcome, Refusal } from '#domain/kernel/outcome.ts';

/** A code of an authenticator app, or a recovery code, with room for spaces and hyphens. */
export const codeField = requiredText(40);
/** The form that asks for a code of the app alone. */
export const CodeSchema = z.object({ code: codeField });
export const codeConstraint = constraintOf(CodeSchema);

const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]*$/);

/** Parses JSON that a browser's script wrote into a hidden field. */
export const jsonField = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .max(20_000)
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'errors.field.invalid' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** A credential as WebAuthn's `toJSON` writes it, without extensions. */
export const credentialOf = <T extends z.ZodRawShape>(response: T) =>
  z
    .object({
      id: base64url(1400),
      rawId: base64url(1400),
      type: z.literal('public-key'),
      response: z.object({ clientDataJSON: base64url(4000), ...response }),
    })
    .transform((credential) => ({ ...credential, clientExtensionResults: {} }));

const PasskeySchema = z.object({
  passkey: jsonField(credentialOf({ authenticatorData: base64url(4000), signature: base64url(2000) })),
});

/** The field of a passkey that names its account. */
export const namingPasskeyField = jsonField(
  credentialOf({
    authenticatorData: base64url(4000),
    signature: base64url(2000),
    userHandle: base64url(200),
  }),
);

/** The field of a passkey that was just made. */
export const newPasskeyField = jsonField(
  credentialOf({
    attestationObject: base64url(16_000),
    transports: z.array(z.string().max(20)).max(10).default([]),
  }),
);

interface Prover {
  userId: string;
  /** The token of the session, or of the pending sign-in. */
  token: string;
}

/**
 * Prepares the second factors that a page asks its user for: a passkey, if they have one, and a code of the
 * app or, with `recovery` in the address or without an app, a recovery code.
 */
export async function askForProof(request: Request, { userId, token }: Prover): Promise<AskedProof> {
  const db = await database();
  const { authenticatorAtMs } = await getSecondFactor(db.read, { userId });
  const site = passkeySite();
  const isRecovery = new URL(request.url).searchParams.has('recovery');
  const asked =
    site && !isRecovery ? await askForPasskey(db, { userId, token, site }, await domainNow()) : null;
  const code = isRecovery || (authenticatorAtMs === null && !asked) ? 'recovery' : null;
  return {
    passkey: asked && JSON.stringify(asked),
    code: code ?? (authenticatorAtMs === null ? null : 'app'),
    constraint: codeConstraint,
  };
}

type ProofSubmission = Submission<{ code: string } | { passkey: unknown }>;

/** A second factor as it was submitted, or null with the reply to a form without one. */
export async function readProofForm(request: Request, token: string) {
  const form = await request.formData();
  const site = passkeySite();
  if (form.has('passkey') && site) {
    const submission = parseWithZod(form, { schema: PasskeySchema });
    if (submission.status !== 'success') return { proof: null, reply: replyInvalid(submission) };
    const proof: SecondFactorProof = { passkey: { response: submission.value.passkey, token, site } };
    return { proof, submission: submission as ProofSubmission };
  }
  const submission = parseWithZod(form, { schema: CodeSchema });
  if (submission.status !== 'success') return { proof: null, reply: replyInvalid(submission) };
  const proof: SecondFactorProof = submission.value;
  return { proof, submission: submission as ProofSubmission };
}

/** The reply to a second factor that was wrong, or came too often. */
export function replyUnproven(
  { submission, proof }: { submission: ProofSubmission; proof: SecondFactorProof },
  refusal: Refusal<string> | TooManyAttempts,
) {
  if ('limit' in refusal) {
    const { waitSeconds, limit } = refusal;
    return limit === 'account'
      ? replyTooMany(submission, waitSeconds, codesExhaustedText(waitSeconds))
      : replyTooMany(submission, waitSeconds);
  }
  if ('passkey' in proof) return replyRefused(submission, accountRefusals.passkeyRefused);
  return replyRefused(submission as Submission<{ code: string }>, accountRefusals.secondFactorWrong, 'code');
}

/** Lets `act` use a second factor, within the limits of attempts; right ones are not counted. */
export async function proveWithinLimits<T extends object, Code extends string>(
  { userId, proof }: { userId: string; proof: SecondFactorProof },
  clientAddress: string,
  act: () => Promise<Outcome<T, Code>>,
): Promise<Outcome<T, Code> | TooManyAttempts> {
  const tooMany = await countProof({ userId, proof }, clientAddress);
  if (tooMany) return tooMany;
  const outcome = await act();
  if (outcome.ok) await clearProofLimits({ userId, proof }, clientAddress);
  return outcome;
}
