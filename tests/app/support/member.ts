import { eq } from 'drizzle-orm';
import { action as signUpAction } from '#app/routes/auth/signup.tsx';
import { action as verifyAction } from '#app/routes/email/verify.tsx';
import { database } from '#app/services/database.server.ts';
import { mails } from '#db/schema/outbox.ts';
import { Visitor } from './visitor.ts';

let numbers = 0;

/** A valid sign-up form, as a browser without JavaScript sends it. */
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

/** The tokens in the verification mails to an address, oldest first. */
export async function mailedTokens(email: string): Promise<string[]> {
  const db = await database();
  const rows = await db.read.select().from(mails).where(eq(mails.recipient, email)).orderBy(mails.id);
  return rows.map((row) => row.values.token ?? '');
}

/** A user who has signed up in this browser and not verified the address yet. */
export async function newcomer(form = signUpForm()): Promise<{ visitor: Visitor; email: string }> {
  const visitor = new Visitor();
  await visitor.call(signUpAction, '/auth/signup', { form });
  return { visitor, email: form.email };
}

/** A signed-in user with a verified address. */
export async function member(form = signUpForm()): Promise<{ visitor: Visitor; email: string }> {
  const { visitor, email } = await newcomer(form);
  const [token = ''] = await mailedTokens(email);
  await visitor.call(verifyAction, '/email/verify', { form: { token } });
  return { visitor, email };
}
