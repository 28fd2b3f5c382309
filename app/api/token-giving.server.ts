import { waitSeconds } from '#app/services/rate-limits.server.ts';
import { reportTokenGiving } from '#domain/account/access/report-token-giving.ts';
import type { Call } from './endpoint.ts';

/**
 * Mails the owner once a call by an API token has given items away. Programs do this all day: a mail for each act would be
 * thrown away unread, so each token is reported when it begins, and at most once in 30 days.
 */
export async function reportGiving({
  db,
  nowMs,
  account,
  proof,
}: Pick<Call<'verified'>, 'db' | 'nowMs' | 'account' | 'proof'>): Promise<void> {
  if (proof.by !== 'token') return;
  if ((await waitSeconds('tokenGivesMail', proof.tokenId)) > 0) return;
  await reportTokenGiving(db, { userId: account.id }, nowMs);
}
