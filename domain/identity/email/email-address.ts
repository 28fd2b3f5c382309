import { domainToASCII, domainToUnicode } from 'node:url';
import { eq, type SQL, sql } from 'drizzle-orm';
import { users } from '#db/schema/user.ts';

/**
 * The normalized form in which addresses are stored and compared: lower case, because people do not remember
 * how they capitalized theirs, and with a readable Unicode domain (`почта.рф`), which some programs write as
 * `xn--…`. The mail sender converts it.
 */
export const emailAddress = (text: string): string => {
  const typed = text.trim().normalize('NFC');
  const at = typed.lastIndexOf('@') + 1;
  const domain = typed.slice(at);
  return (typed.slice(0, at) + (domainToUnicode(domainToASCII(domain)) || domain)).toLowerCase();
};

/** Matches an account by address, using its unique index. */
export const hasEmail = (text: string): SQL => eq(sql`lower(${users.email})`, emailAddress(text));
