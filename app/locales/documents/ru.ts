import { cookies } from './ru/cookies.ts';
import { faq } from './ru/faq.ts';
import { privacy } from './ru/privacy.ts';
import { terms } from './ru/terms.ts';

export const documents = { cookies, faq, privacy, terms };
