import { createHash } from 'node:crypto';
import { createChallenge, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import { minute } from '#domain/kernel/time.ts';
import type { CaptchaProvider } from './captcha-provider.ts';

const lifetimeMs = 20 * minute;
// About a second of work for a phone; a thousand accounts cost a bot as many.
const cost = 1_000;
const fewest = 800;
const MAX_COUNTER = 2_400;

const HexSchema = z
  .string()
  .regex(/^[0-9a-f]*$/i)
  .max(256);
const PayloadSchema = z.object({
  challenge: z.object({
    parameters: z
      .object({
        algorithm: z.literal('PBKDF2/SHA-256'),
        cost: z.literal(cost),
        nonce: HexSchema,
        salt: HexSchema,
        keyLength: z.number().int().min(1).max(64),
        keyPrefix: HexSchema,
        keySignature: z.string().max(256).optional(),
        expiresAt: z.number(),
      })
      .strict(),
    signature: z.string().min(1).max(256),
  }),
  solution: z.object({
    counter: z.number().int().min(0),
    derivedKey: HexSchema,
    time: z.number().optional(),
  }),
});

/** A proof of work that this site issues and checks itself; `secret` signs the challenges. */
export function createAltcha({ secret, now }: { secret: string; now: () => number }): CaptchaProvider {
  const secrets = { hmacSignatureSecret: secret, hmacKeySignatureSecret: `${secret}:key` };
  return {
    widget: { provider: 'altcha' },
    origins: [],
    challenge: () =>
      createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost,
        counter: randomInt(fewest, MAX_COUNTER),
        deriveKey,
        expiresAt: Math.floor((now() + lifetimeMs) / 1000),
        ...secrets,
      }),
    async check(answer) {
      const payload = readPayload(answer);
      if (!payload) return null;
      const { challenge, solution } = payload;
      const expiresAtMs = challenge.parameters.expiresAt * 1000;
      if (expiresAtMs <= now()) return null;
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets });
      if (!verified) return null;
      // The signature covers a random nonce, so it identifies this challenge.
      return { solutionHash: hashOf(`altcha:${challenge.signature.toLowerCase()}`), expiresAtMs };
    },
  };
}

function readPayload(answer: string) {
  try {
    const parsed = PayloadSchema.safeParse(JSON.parse(Buffer.from(answer, 'base64').toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
