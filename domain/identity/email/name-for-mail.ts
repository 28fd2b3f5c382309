import type { users } from '#db/schema/user.ts';

type Recipient = Pick<typeof users.$inferSelect, 'name' | 'emailVerifiedAtMs'>;

/**
 * Returns the name by which a mail greets an account's owner. A stranger who signs up with somebody else's
 * address chooses the name, so mail to an unverified address has no name in it.
 */
export const nameForMail = ({ name, emailVerifiedAtMs }: Recipient): { name?: string } =>
  emailVerifiedAtMs === null ? {} : { name };
