import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNotNull } from 'drizzle-orm';
import { mails } from '#db/schema/outbox.ts';
import type { Mail } from '#sandbox/mail/mailbox.ts';
import type { Stage } from './stage.ts';

/** The sandbox stores no more mails than this; earlier ones cannot be counted. */
const MAX_SAVED = 500;

/**
 * Mails counted as sent have arrived. A mail may arrive twice, if we were killed before the server's answer: that is
 * counted, but no violation.
 */
export async function checkMail({ db, sandboxFolder, tally }: Stage): Promise<string[]> {
  const arrived = arrivedIn(join(sandboxFolder, 'mail'));
  if (arrived.length >= MAX_SAVED) return [];
  const sent = await db.read
    .select({ recipient: mails.recipient })
    .from(mails)
    .where(isNotNull(mails.sentAtMs));
  const found: string[] = [];
  for (const recipient of new Set(sent.map((mail) => mail.recipient))) {
    const wanted = sent.filter((mail) => mail.recipient === recipient).length;
    const here = arrived.filter(({ to }) => to.includes(recipient.toLowerCase())).length;
    if (here < wanted) found.push(`${recipient} got ${here} of ${wanted} mails`);
  }
  const texts = new Set(arrived.map(({ to, subject, text }) => `${to} ${subject} ${text}`));
  tally.note('mail: arrived', arrived.length);
  tally.note('mail: arrived again', arrived.length - texts.size);
  return found;
}

const arrivedIn = (folder: string): Mail[] =>
  readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Mail);
