import { database } from '#app/services/database.server.ts';
import { saveSession } from '#app/services/sign-in/session.server.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { Visitor } from './visitor.ts';

/** A browser in which this user is signed in. */
export async function visitorOf(userId: string, address?: string): Promise<Visitor> {
  const { token } = await openSession(await database(), { userId, userAgent: 'test' }, Date.now());
  const [pair = ''] = (await saveSession(token)).split(';');
  const [name = '', ...value] = pair.split('=');
  const visitor = new Visitor(address);
  visitor.plant(name, value.join('='));
  return visitor;
}
