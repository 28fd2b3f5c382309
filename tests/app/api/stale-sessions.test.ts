import { eq } from 'drizzle-orm';
import { afterAll, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { sessions } from '#db/schema/user.ts';
import { minute } from '#domain/kernel/time.ts';
import { asset } from '#tests/support/fixtures.ts';
import { type Asked, askedByCalls } from '../support/asked-for-proof.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { idIn, type Owner, ownerOfAll, password } from '../support/owner.ts';
import { changes, stored } from '../support/stored.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
const twitch = await startFakeTwitch();
await setWeb({ BOT_URL: bot.url, ...twitch.environment });
afterAll(() => bot.stop());

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { table } = await import('#app/api/table.server.ts');
const { honestCalls, sellingCalls } = await import('./support/honest-calls.ts');
const { signIn, holdToken } = await import('./support/people.ts');

const changing = table.filter(({ method }) => method !== 'GET');

test('Every call that changes something says whether it asks for a proof', () => {
  expect(Object.keys(askedByCalls).sort()).toEqual(changing.map(({ name }) => name).sort());
});

/** A thief's requests, where the tests' honest call changes nothing that is protected. */
const worse: Record<string, (owner: Owner) => Record<string, unknown>> = {
  setTradeLink: ({ tradeLink }) => ({ trade_link: tradeLink.replace(/\w+$/, 'zyxwvuts') }),
  updateUser: ({ email }) => ({ email: `thief-of-${email}`, current_password: password }),
};

async function confirmed(userId: string, ageMs: number): Promise<void> {
  await (await database()).transaction(async (tx) => {
    await tx
      .update(sessions)
      .set({ confirmedAtMs: Date.now() - ageMs })
      .where(eq(sessions.userId, userId));
  });
}

async function prepare(name: string, asked: Asked) {
  const owner = await ownerOfAll();
  bot.inventories.set(owner.steamId, [{ ...asset(owner.kind.marketHashName), tradable: true }]);
  const honest = await honestCalls[name]?.(owner);
  if (typeof asked === 'object') await asked.make(owner.userId);
  const json = worse[name]?.(owner) ?? honest?.json;
  return { owner, by: honest?.by, sent: json ? { json } : {} };
}

const pathOf = (path: string, owner: Owner) =>
  path.replace('{id}', idIn(path, owner)).replace('{login}', owner.login);

const rows = changing
  .filter(({ name }) => !sellingCalls.includes(name))
  .map((row) => [row.name, askedByCalls[row.name] ?? 'never', row] as const);

test.each(rows.filter(([, asked]) => asked !== 'never'))(
  '%s needs a session that was confirmed lately, and no token has it',
  async (name, asked, row) => {
    const { owner, sent } = await prepare(name, asked);
    const path = pathOf(row.path, owner);
    const [app, program] = [await signIn(owner), await holdToken(owner)];
    await confirmed(owner.userId, 11 * minute);
    const before = await stored();
    expect(await app.send(row.method, path, sent)).toMatchObject({
      status: 403,
      codes: ['identityUnconfirmed'],
    });
    const refused = await program.send(row.method, path, sent);
    expect(refused.status).toBe(403);
    expect(['identityUnconfirmed', 'sessionNeeded']).toContain(refused.codes[0]);
    // A call records when its token was used.
    const changed = changes(before, await stored(), new Map(), Date.now());
    expect(changed.filter((line) => !line.slice(2).startsWith('api_tokens:'))).toEqual([]);
    await confirmed(owner.userId, 9 * minute);
    expect((await app.send(row.method, path, sent)).codes).not.toContain('identityUnconfirmed');
  },
);

test.each(rows.filter(([, asked]) => asked === 'never'))(
  '%s asks for no proof, of a session or of a token',
  async (name, asked, row) => {
    // No token can be confirmed.
    for (const enter of name === 'confirmIdentity' ? [signIn] : [signIn, holdToken]) {
      const { owner, by, sent } = await prepare(name, asked);
      const app = by ?? (await enter(owner));
      await confirmed(owner.userId, 11 * minute);
      const reply = await app.send(row.method, pathOf(row.path, owner), sent);
      expect(reply.codes).toEqual([]);
    }
  },
);
