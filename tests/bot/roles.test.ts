import { expect, test } from 'vitest';
import { createLog } from '#bot/log.ts';
import { watchRoles } from '#bot/watch-roles.ts';
import { listLeases } from '#domain/bot/list-leases.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { spawnBot } from '#tests/support/bot-process.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { endLeases, holderNamed, occupyLeases } from '#tests/support/leases.ts';
import { setSteamStage, until } from '#tests/support/steam-stage.ts';

test('What no process has done for a minute is reported by each, until one does it', async () => {
  await using db = await openTestDatabase();
  await occupyLeases(db, ['steam', 'twitch:0', 'housekeeping', 'billing', 'mails', 'pushes']);
  const time = { ms: 0 };
  const now = () => time.ms;
  const part = watchRoles({ db, log: createLog('silent') }, { checkMs: 5, now });
  try {
    expect(part.report().roles).toEqual({ state: 'ready' });
    await endLeases(db, ['twitch:0', 'mails']);
    const faulty = await until(() => {
      time.ms += second;
      const { roles } = part.report();
      return roles?.state === 'faulty' ? roles : null;
    }, 'what nobody does');
    expect(faulty.detail).toBe('no process does twitch, mails');
    expect(time.ms).toBeGreaterThanOrEqual(minute);
    await takeLeases(db, holderNamed('a third'), ['twitch:0', 'mails']);
    await until(() => part.report().roles?.state === 'ready', 'somebody who does it');
  } finally {
    await part.stop();
  }
});

test('A process takes the parts of its BOT_ROLES and leaves the others', async () => {
  const stage = await setSteamStage();
  const counting = spawnBot(stage, [], { BOT_ROLES: 'housekeeping,twitch' });
  const sending = spawnBot(stage, [], { BOT_ROLES: 'steam' });
  const listedOf = async ({ child }: typeof counting) => {
    const listed = await listLeases(stage.db.read);
    return listed.flatMap(({ name, holder }) => (holder?.includes(`:${child.pid}:`) ? [name] : []));
  };
  await until(async () => (await listLeases(stage.db.read)).length === 6, 'all leases');
  expect(await listedOf(counting)).toEqual(['billing', 'housekeeping', 'mails', 'pushes', 'twitch:0']);
  expect(await listedOf(sending)).toEqual(['steam']);
});
