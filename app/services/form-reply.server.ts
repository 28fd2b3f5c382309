import type { Submission } from '@conform-to/react';
import { data } from 'react-router';
import type { Telling } from './refusals.server.ts';

/** What is typed blindly is never sent back. */
const hideFields = ['password', 'current', 'next'];

export const tooManyTries: Telling = { status: 429, key: 'errors.page.tooMany' };

/** Answers a form that could not be read, with what is wrong beside each field. */
export const replyInvalid = <T>(submission: Submission<T>) =>
  data({ result: submission.reply({ hideFields: hideFields as never }) }, { status: 400 });

/** Answers a form whose act was refused, beside one field or above all of them. */
export function replyRefused<T>(
  submission: Submission<T>,
  { status, key }: Telling,
  field?: keyof T & string,
) {
  const errors = field ? { fieldErrors: { [field]: [key] } } : { formErrors: [key as string] };
  return data({ result: submission.reply({ ...errors, hideFields: hideFields as never }) }, { status });
}
