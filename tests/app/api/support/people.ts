import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { saveSession, sessionCookieName } from '#app/services/sign-in/session.server.ts';
import type { Database } from '#db/database.ts';
import { issueApiToken } from '#domain/identity/access/issue-api-token.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { App } from './app.ts';

/** Signs an app in with a cookie. */
export async function signIn(person: { userId: string }, address?: string): Promise<App> {
  const { token } = await openSession(
    await database(),
    { userId: person.userId, userAgent: 'test' },
    await domainNow(),
  );
  const app = new App(address);
  const [pair = ''] = (await saveSession(token)).split(';');
  app.plant(sessionCookieName(), pair.slice(pair.indexOf('=') + 1));
  return app;
}

/** Signs an app in with a token. */
export async function holdToken(person: { userId: string }): Promise<App> {
  const issued = await issueApiToken(
    await database(),
    { userId: person.userId, name: 'Demo app' },
    await domainNow(),
  );
  if (!issued.ok) throw new Error(issued.code);
  const app = new App();
  app.token = issued.token;
  return app;
}

export type Signed = Person & { app: App; db: Database };

/** A viewer with all accounts linked, and their app. */
export async function viewer(facts: Parameters<typeof addPerson>[1] = {}): Promise<Signed> {
  const db = await database();
  const person = await addPerson(db, facts);
  return { ...person, db, app: await signIn(person) };
}

/** A streamer with all accounts linked, and their app. */
export async function streamer(): Promise<Signed> {
  const db = await database();
  const person = await addStreamer(db);
  return { ...person, db, app: await signIn(person) };
}
