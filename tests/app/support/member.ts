import { eq } from 'drizzle-orm';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { action as verifyAction } from '#app/routes/email/verify.tsx';
import { database } from '#app/services/database.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { Visitor } from './visitor.ts';

let numbers = 0;

/** A form for signing up that nobody has used, as a browser without JavaScript sends it. */
export function signUpForm(more: Record<string, string> = {}) {
  const email = `demo-${++numbers}@example.org`;
  return {
    name: 'Demo person',
    email,
    password: 'a short sentence',
    terms: 'on',
    without_script: 'on',
    ...more,
  };
}

/** The tokens of the verification mails to an address, oldest first. */
export async function mailedTokens(email: string): Promise<string[]> {
  const db = await database();
  const rows = await db.read.select().from(mails).where(eq(mails.recipient, email)).orderBy(mails.id);
  return rows.map((row) => row.values.token ?? '');
}

/** Somebody who has signed up in this browser and not opened the mail yet. */
export async function newcomer(form = signUpForm()): Promise<{ visitor: Visitor; email: string }> {
  const visitor = new Visitor();
  await visitor.call(signUpAction, '/auth/signup', { form });
  return { visitor, email: form.email };
}

/** Somebody who is signed in with a verified address. */
export async function member(form = signUpForm()): Promise<{ visitor: Visitor; email: string }> {
  const { visitor, email } = await newcomer(form);
  const [token = ''] = await mailedTokens(email);
  await visitor.call(verifyAction, '/email/verify', { form: { token } });
  return { visitor, email };
}
