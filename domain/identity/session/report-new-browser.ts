import type { Tx } from '#db/database.ts';
import { isFirstReport } from '#domain/identity/access/is-first-report.ts';
import { isVerified } from '#domain/identity/email/is-verified.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { day } from '#domain/kernel/time.ts';
import type { SignInWay } from '#domain/outbox/queue-mail.ts';
import { browserName } from './browser-name.ts';

/**
 * Mails an account's owner, if the address is verified, that a browser signed in for the first time. At most
 * once a day, because programs that sign in by password, and browsers that delete their cookies, are new each
 * time.
 */
export async function reportNewBrowser(
  tx: Tx,
  { userId, userAgent, by }: { userId: string; userAgent: string; by: SignInWay },
  nowMs: number,
): Promise<void> {
  if (!(await isVerified(tx, { userId }))) return;
  if (!(await isFirstReport(tx, { key: `newBrowser:${userId}`, windowMs: day }, nowMs))) return;
  const { browser, system } = browserName(userAgent);
  const facts = { by, browser: browser ?? '', system: system ?? '', atMs: String(nowMs) };
  await notifyOfChange(tx, { userId, change: 'newBrowser', facts }, nowMs);
}
