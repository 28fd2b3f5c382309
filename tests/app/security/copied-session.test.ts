import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { action as beginAction } from '#app/routes/account/begin-authenticator.ts';
import { action as confirmAction, loader as confirmLoader } from '#app/routes/account/confirm-identity.tsx';
import { action as addPasskey, loader as newPasskey } from '#app/routes/account/new-passkey.tsx';
import { loader as profileLoader } from '#app/routes/account/profile.tsx';
import { loader as startTwitch } from '#app/routes/auth/twitch.ts';
import { loader as twitchCallback } from '#app/routes/auth/twitch-callback.ts';
import { action as tokensAction } from '#app/routes/settings/tokens.tsx';
import { action as unlinkTwitchAction } from '#app/routes/twitch/unlink.tsx';
import { database } from '#app/services/database.server.ts';
import { apiTokens } from '#db/schema/access.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import { minute } from '#domain/kernel/time.ts';
import { PasskeyDevice } from '#tests/support/passkey-device.ts';
import { confirmedAgo } from '../support/confirmed-ago.ts';
import { decideElsewhere } from '../support/decide-elsewhere.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { member, signUpForm } from '../support/member.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';
import { codeOf, turnAppOn, userOf } from '../support/with-authenticator.ts';

const twitch = await startFakeTwitch();
await setWeb({ BOT_URL: 'http://127.0.0.1:9', ...twitch.environment });

const { password } = signUpForm();
const guard = verified;
const confirmPage = '/profile/confirm?to=/settings/tokens';
let logins = 0;

/** Somebody with a password, and with Twitch connected. */
async function owner() {
  const { visitor } = await member();
  const { login } = twitch.world.addUser({ login: `demo_copied_${++logins}` });
  const { location } = await visitor.call(startTwitch, '/auth/twitch');
  await visitor.call(twitchCallback, await decideElsewhere(location ?? '', { decision: 'approve', login }));
  return { visitor, login, userId: await userOf(visitor) };
}
type Owner = Awaited<ReturnType<typeof owner>>;

const confirmBy = (visitor: Visitor, form: Record<string, string>) =>
  visitor.call(confirmAction, confirmPage, { form, guard });

/** Each kind of proof: what the account needs for it, and how its owner gives it. */
const proofs: [string, (person: Owner) => Promise<() => Promise<unknown>>][] = [
  [
    'the password',
    async ({ visitor }) =>
      () =>
        confirmBy(visitor, { current: password }),
  ],
  [
    'Twitch',
    async ({ visitor, login }) =>
      async () => {
        const { location } = await visitor.call(startTwitch, '/auth/twitch?from=confirm&to=/settings/tokens');
        const back = await decideElsewhere(location ?? '', { decision: 'approve', login });
        await visitor.call(twitchCallback, back);
      },
  ],
  [
    'a code of the app',
    async ({ visitor, userId }) => {
      await turnAppOn(visitor);
      return async () => confirmBy(visitor, { code: await codeOf(userId) });
    },
  ],
  [
    'a recovery code',
    async ({ visitor }) => {
      const { recoveryCodes } = await turnAppOn(visitor);
      return () => confirmBy(visitor, { code: recoveryCodes[3] ?? '' });
    },
  ],
  [
    'a passkey',
    async ({ visitor }) => {
      const device = new PasskeyDevice();
      const page = '/profile/second-factor/passkeys/new';
      const { body } = await visitor.call(newPasskey, page, { guard });
      const passkey = JSON.stringify(device.register(JSON.parse(body.options)));
      await visitor.call(addPasskey, page, { form: { name: 'Phone', passkey }, guard });
      return async () => {
        const { asked } = (await visitor.call(confirmLoader, confirmPage, { guard })).body;
        return confirmBy(visitor, { passkey: JSON.stringify(device.sign(JSON.parse(asked.passkey))) });
      };
    },
  ],
];

test.each(proofs)(
  'A copied session that waits gets nothing when its owner confirms by %s',
  async (_, made) => {
    const person = await owner();
    const prove = await made(person);
    const { visitor, userId } = person;
    await confirmedAgo(visitor, 11 * minute);
    const thief = new Visitor();
    thief.plant('keepsake_session', visitor.cookie('keepsake_session') ?? '');
    expect((await thief.call(profileLoader, '/profile', { guard })).status).toBe(200);

    await prove();
    expect((await visitor.call(confirmLoader, confirmPage, { guard })).location).toBe('/settings/tokens');

    const form = { name: 'Thief' };
    await thief.call(tokensAction, '/settings/tokens', { form, guard });
    await thief.call(unlinkTwitchAction, '/twitch/unlink', { form: {}, guard });
    await thief.call(beginAction, '/profile/second-factor/begin', { form: {}, guard });
    const { read } = await database();
    expect(await read.$count(apiTokens, eq(apiTokens.userId, userId))).toBe(0);
    expect(await read.$count(twitchAccounts, eq(twitchAccounts.userId, userId))).toBe(1);
    const [app] = await read.select().from(authenticators).where(eq(authenticators.userId, userId));
    expect(app?.confirmedAtMs).not.toBeNull();
    const seen = await thief.call(profileLoader, '/profile', { guard });
    expect([seen.status, seen.body]).not.toEqual([200, expect.anything()]);

    const issued = await visitor.call(tokensAction, '/settings/tokens', { form: { name: 'Own' }, guard });
    expect(issued.status).toBe(200);
    expect(await read.$count(apiTokens, eq(apiTokens.userId, userId))).toBe(1);
  },
);
