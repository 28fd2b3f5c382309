import { HttpStatusCodeError } from '@twurple/api-call';

/** When it makes sense to ask again: never in this form, later, or after a person has done something about it. */
export type Retry = 'never' | 'later' | 'afterHuman';
