import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { asset } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { idIn, namesOf, nouns, type Owner, ownerOfAll } from '../support/owner.ts';
import { changes, stored } from '../support/stored.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { table } = await import('#app/api/table.server.ts');
const { honestCalls } = await import('./support/honest-calls.ts');
const { signIn } = await import('./support/people.ts');

let owner: Owner;
beforeAll(async () => {
  owner = await newSender();
});

/** A user with an inventory who has not deposited anything yet. */
async function newSender(): Promise<Owner> {
  const sender = await ownerOfAll();
  bot.inventories.set(sender.steamId, [{ ...asset(sender.kind.marketHashName), tradable: true }]);
  return sender;
}

/** Returns the changes that `act` made. */
async function changedBy(sender: Owner, act: () => Promise<void>): Promise<string[]> {
  const before = await stored();
  await act();
  const known = new Map([...namesOf(owner, 'owner'), ...namesOf(sender, 'sender')]);
  return changes(before, await stored(), known, Date.now());
}

const addressOf = (path: string, sender: Owner): string => path.replace('{id}', idIn(path, sender));

async function jsonOf(name: string, whose: Owner): Promise<Record<string, unknown>> {
  const json = (await honestCalls[name]?.(whose))?.json ?? {};
  // Channel points only work on the own channel: without them, only the channel can be the reason for a refusal.
  return 'channel_id' in json ? { ...json, points_cost: null } : json;
}

/** Calls whose bodies name something owned: a reward or channel by id, or items by kind. */
const naming = table.filter(
  ({ body }) =>
    body && ['items', 'weights', 'reward_id', 'channel_id'].some((field) => field in body.attributes.shape),
);

test.each(naming.map((row) => [row.name, row] as const))(
  '%s gives the same answer for another user’s things as for unknown ones',
  async (name, row) => {
    const sender = await newSender();
    const app = await signIn(sender);
    const send = async (json: Record<string, unknown>) => {
      const { status, codes } = await app.send(row.method, addressOf(row.path, sender), { json });
      return { status, codes };
    };
    const nobody = {
      ...owner,
      twitchId: '1',
      kind: { appId: 730, marketHashName: 'Unheard of' },
      ids: { ...owner.ids, rewards: newId(Date.now()) },
    };
    const changed = await changedBy(sender, async () => {
      const refused = await send(await jsonOf(name, owner));
      expect(refused.status).toBeGreaterThanOrEqual(400);
      expect(refused).toEqual(await send(await jsonOf(name, nobody)));
    });
    expect(changed).toEqual([]);
    // Ownership alone caused the refusal: the sender can name their own.
    expect((await send(await jsonOf(name, sender))).status).toBe(row.answers.status);
  },
);

test.each(table.filter(({ repeatable }) => repeatable).map((row) => [row.name, row] as const))(
  '%s with another user’s id as its key touches nothing of theirs',
  async (name, row) => {
    const sender = await newSender();
    const app = await signIn(sender);
    const changed = await changedBy(sender, async () => {
      for (const key of [owner.itemId, ...nouns.map((noun) => owner.ids[noun])]) {
        const sent = { json: await jsonOf(name, sender), headers: { 'Idempotency-Key': key } };
        const { body } = await app.send(row.method, addressOf(row.path, sender), sent);
        expect(JSON.stringify(body)).not.toContain(owner.login);
      }
    });
    expect(changed.filter((line) => /"<owner>"/.test(line) || /^- .*<owner/.test(line))).toEqual([]);
  },
);
