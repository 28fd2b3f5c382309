import type { users } from '#db/schema/user.ts';

type Recipient = Pick<typeof users.$inferSelect, 'name' | 'emailVerifiedAtMs'>;

/**
 * The name by which a mail greets the owner of an account. Whoever signs up with a stranger's address writes the name,
 * so mail to an address that nobody has verified greets nobody.
 */
export const nameForMail = ({ name, emailVerifiedAtMs }: Recipient): { name?: string } =>
  emailVerifiedAtMs === null ? {} : { name };
