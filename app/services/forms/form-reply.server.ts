import type { Submission } from '@conform-to/dom';
import { data } from 'react-router';
import type { RefusalText } from '#app/services/forms/refusals.server.ts';

/** Passwords and codes are never sent back. */
const hideFields = [
  'password',
  'password_confirmation',
  'current',
  'next',
  'code',
  'captcha',
  'token',
  'passkey',
];

/** The response to an invalid form, with an error at each field; `fieldErrors` are those that only the domain finds. */
export const replyInvalid = <T>(submission: Submission<T>, fieldErrors?: Record<string, string[]>) =>
  data(
    { result: submission.reply({ ...(fieldErrors && { fieldErrors }), hideFields: hideFields as never }) },
    { status: 400 },
  );

/** The response to a form whose action was refused, at one field or above the form. */
export function replyRefused<T>(
  submission: Submission<T>,
  { status, key, hint }: RefusalText,
  field?: keyof T & string,
) {
  const errors = field
    ? { fieldErrors: { [field]: [key] } }
    : { formErrors: hint ? [key, hint] : [key as string] };
  return data({ result: submission.reply({ ...errors, hideFields: hideFields as never }) }, { status });
}

/** The error text for too many attempts, with the seconds to wait. */
export const tooManyText = (waitSeconds: number): string =>
  `errors.page.tooManyFor|${JSON.stringify({ count: Math.ceil(waitSeconds / 60) })}`;

/** The status and header for programs. */
export const tooManyInit = (waitSeconds: number) => ({
  status: 429,
  headers: { 'Retry-After': String(waitSeconds) },
});

/** The error text for too many wrong codes of one account's app, with the time to wait. */
export const codesExhaustedText = (waitSeconds: number): string =>
  `errors.account.codesExhausted|${JSON.stringify({ count: Math.ceil(waitSeconds / 3600) })}`;

/** The response to a form that was sent too often. */
export function replyTooMany<T>(
  submission: Submission<T>,
  waitSeconds: number,
  text = tooManyText(waitSeconds),
) {
  const formErrors = [text];
  return data(
    { result: submission.reply({ formErrors, hideFields: hideFields as never }) },
    tooManyInit(waitSeconds),
  );
}
