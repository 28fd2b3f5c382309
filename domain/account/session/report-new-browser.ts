import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import { isFirstReport } from '#domain/account/access/is-first-report.ts';
import { queueMail, type SignInWay } from '#domain/outbox/queue-mail.ts';
import { day } from '#domain/time.ts';
import { browserName } from './browser-name.ts';

/**
 * Mails an account's owner, if the address is verified, that a browser signed in which had not before. At most once a day:
 * programs that sign in by password, and browsers that delete their cookies, are new each time.
 */
export async function reportNewBrowser(
  tx: Tx,
  { userId, userAgent, by }: { userId: string; userAgent: string; by: SignInWay },
  nowMs: number,
): Promise<void> {
  const [user] = await tx
    .select({
      name: users.name,
      email: users.email,
      locale: users.locale,
      verifiedAtMs: users.emailVerifiedAtMs,
    })
    .from(users)
    .where(eq(users.id, userId));
  if (!user || user.verifiedAtMs === null) return;
  if (!(await isFirstReport(tx, { key: `newBrowser:${userId}`, windowMs: day }, nowMs))) return;
  const { name, email: recipient, locale } = user;
  const { browser, system } = browserName(userAgent);
  const facts = { by, browser: browser ?? '', system: system ?? '', atMs: String(nowMs) };
  const values = { name, change: 'newBrowser' as const, ...facts };
  await queueMail(tx, { recipient, locale, template: 'accountChanged', values }, nowMs);
}
