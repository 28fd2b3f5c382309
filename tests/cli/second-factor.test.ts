import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import { beginAuthenticator } from '#domain/identity/second-factor/begin-authenticator.ts';
import { enableAuthenticator } from '#domain/identity/second-factor/enable-authenticator.ts';
import { totpAt } from '#domain/identity/second-factor/totp.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { join, mira, noonMs } from '#tests/domain/account/people.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { runRemoveSecondFactor } from '../../cli/second-factor.ts';

test('The operator removes the second factor of somebody who is locked out, and of nobody else', async () => {
  await using db = await openTestDatabase();
  const userId = await join(db, mira);
  const { token: currentToken } = await openSession(db, { userId, userAgent: 'test' }, noonMs);
  await beginAuthenticator(db, { userId, currentToken }, noonMs);
  const [app] = await db.read.select().from(authenticators);
  const code = totpAt(app?.secret ?? '', noonMs);
  await enableAuthenticator(db, { userId, code, currentToken }, { nowMs: noonMs, systemMs: noonMs });
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const ok = await runRemoveSecondFactor(args, { db, nowMs: noonMs, print });
    return { ok, said: lines.join('\n') };
  };
  expect(await run()).toEqual({ ok: false, said: expect.stringMatching(/^Usage: /) });
  expect(await run(mira.email, 'more')).toEqual({ ok: false, said: expect.stringMatching(/^Usage: /) });
  expect(await run('nobody@example.org')).toEqual({
    ok: false,
    said: 'Refused: no account has this address.',
  });
  expect(await run(mira.email)).toEqual({ ok: true, said: expect.stringContaining(userId) });
  expect(await db.read.$count(authenticators)).toBe(0);
  const letters = await db.read.select().from(mails).where(eq(mails.template, 'accountChanged'));
  expect(letters.map(({ values }) => values.change)).toEqual(['authenticatorOn', 'secondFactorRemoved']);
  expect(await run(mira.email)).toEqual({
    ok: false,
    said: 'Refused: this account has no second factor.',
  });
});
