import { domainToASCII } from 'node:url';
import { getZodConstraint } from '@conform-to/zod/v4';
import { z } from 'zod';
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '#domain/identity/password/password.ts';
import { isHarmless } from '#platform/harmless.ts';

const required = 'errors.field.required';
/** For whatever somebody types that others, or the operator, read. */
const hidden = 'errors.field.hidden';
const tooShort = (min: number) => `errors.field.tooShort|${JSON.stringify({ min })}`;
const tooLong = (max: number) => `errors.field.tooLong|${JSON.stringify({ max })}`;

interface Bounds {
  min: number;
  max: number;
}

/** The key of the locale that names the valid range of a number, with its values. */
export const rangeText = ({ min, max }: Bounds) => `errors.field.range|${JSON.stringify({ min, max })}`;

/** An omitted field is reported as required; one of another type, which only programs send, as invalid. */
const typedText = (omitted: string = required) =>
  z.string({ error: ({ input }) => (input === undefined ? omitted : 'errors.field.invalid') });

/** A whole number that a program sends. Whatever else is sent is refused with the numbers that are valid. */
export function boundedInt(bounds: Bounds) {
  const range = rangeText(bounds);
  return z
    .int({ error: ({ input }) => (input === undefined ? required : range) })
    .min(bounds.min, range)
    .max(bounds.max, range);
}

/** One required line. */
export const requiredText = (max: number, omitted: string = required) =>
  typedText(omitted)
    .trim()
    .min(1, omitted)
    .max(max, tooLong(max))
    .regex(/^[^\p{Cc}]*$/u, 'errors.field.invalid')
    .refine(isHarmless, hidden);

/** Several required lines. Line breaks are the only control characters allowed. */
export const longText = (max: number) =>
  typedText()
    .trim()
    .min(1, required)
    .max(max, tooLong(max))
    .regex(/^(?:[^\p{Cc}]|[\r\n\t])*$/u, 'errors.field.invalid')
    .refine(isHarmless, hidden);

/** A display name. */
export const nameField = requiredText(50, 'errors.field.name');

/** A Twitch login, with or without the leading "@". */
export const twitchLoginField = typedText()
  .trim()
  .regex(/^@?[A-Za-z0-9_]{1,25}$/, 'errors.guest.login')
  .transform((login) => login.replace('@', ''));

// Any common mailbox, at a domain that may be internationalized.
const address =
  /^(?!\.)(?!.*\.\.)[A-Za-z0-9_'+\-.]*[A-Za-z0-9_+-]@(?:[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*\.)+(?!\p{N}+$)[\p{L}\p{N}][\p{L}\p{M}\p{N}-]+$/u;
const isDomain = (email: string): boolean => domainToASCII(email.slice(email.lastIndexOf('@') + 1)) !== '';

/** A valid email address. */
export const emailField = typedText('errors.field.email')
  .trim()
  .max(254, tooLong(254))
  .regex(address, { error: 'errors.field.email', abort: true })
  .refine(isDomain, 'errors.field.email');

/** A new password. */
export const newPasswordField = typedText('errors.field.password')
  .min(PASSWORD_MIN_LENGTH, tooShort(PASSWORD_MIN_LENGTH))
  .max(PASSWORD_MAX_LENGTH, tooLong(PASSWORD_MAX_LENGTH));

/** A current password. */
export const knownPasswordField = typedText().max(PASSWORD_MAX_LENGTH, tooLong(PASSWORD_MAX_LENGTH));

/** A required checkbox. */
export const acceptedField = z.literal('on', { error: 'errors.field.accept' });

/**
 * The constraints that a browser can check by itself, for `useForm`; computed on the server, so that zod stays there.
 * conform 1.21 does not read the bounds of zod 4.6, so they are added here.
 */
export function constraintOf(schema: z.ZodObject) {
  const constraint = { ...getZodConstraint(schema) };
  for (const [name, field] of Object.entries(schema.shape)) {
    const bounded = field instanceof z.ZodPipe ? field.in : field;
    const { minLength, maxLength } = bounded instanceof z.ZodString ? bounded : {};
    const { minValue, maxValue } = bounded instanceof z.ZodNumber ? bounded : {};
    const bounds = { minLength, maxLength, min: minValue, max: maxValue };
    for (const [bound, value] of Object.entries(bounds))
      if (typeof value === 'number' && Number.isFinite(value))
        constraint[name] = { ...constraint[name], [bound]: value };
  }
  return constraint;
}
