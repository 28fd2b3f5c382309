import type { Submission } from '@conform-to/dom';
import { data } from 'react-router';
import type { RefusalText } from './refusals.server.ts';

/** What is typed blindly is never sent back. */
const hideFields = ['password', 'password_confirmation', 'current', 'next', 'captcha', 'token'];

/** Answers a form that could not be read, with what is wrong beside each field. */
export const replyInvalid = <T>(submission: Submission<T>) =>
  data({ result: submission.reply({ hideFields: hideFields as never }) }, { status: 400 });

/** Answers a form whose act was refused, beside one field or above all of them. */
export function replyRefused<T>(
  submission: Submission<T>,
  { status, key }: RefusalText,
  field?: keyof T & string,
) {
  const errors = field ? { fieldErrors: { [field]: [key] } } : { formErrors: [key as string] };
  return data({ result: submission.reply({ ...errors, hideFields: hideFields as never }) }, { status });
}

/** Too many tries, in words: an error text with its value. */
export const tooManyText = (waitSeconds: number): string =>
  `errors.page.tooManyFor|${JSON.stringify({ count: Math.ceil(waitSeconds / 60) })}`;

/** The status and the header that tell programs the same. */
export const tooManyInit = (waitSeconds: number) => ({
  status: 429,
  headers: { 'Retry-After': String(waitSeconds) },
});

/** Answers a form that was sent too often, with how long to wait. */
export function replyTooMany<T>(submission: Submission<T>, waitSeconds: number) {
  const formErrors = [tooManyText(waitSeconds)];
  return data(
    { result: submission.reply({ formErrors, hideFields: hideFields as never }) },
    tooManyInit(waitSeconds),
  );
}
