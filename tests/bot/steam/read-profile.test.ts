import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { readProfile } from '#bot/steam/read-profile.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { bots } from '#db/schema/bot.ts';
import { day } from '#domain/kernel/time.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

test('A profile is read once a day; while Steam does not answer, the last one stays and Steam is asked again', async () => {
  const shown = { name: 'Keepsake 02', pictureUrl: '', level: 27, sinceMs: null };
  const profile = vi.fn<SteamAccount['profile']>(async () => ({ ok: true, value: shown }));
  const { work, time } = makeTransferWork(db, botId, { profile });
  const round = readProfile(work);
  const stored = async () => {
    const [row] = await db.read.select().from(bots).where(eq(bots.id, botId));
    return row?.profileName;
  };
  await readProfile({ ...work, account: () => null })();
  expect(profile).not.toHaveBeenCalled();
  await round();
  expect(await stored()).toBe('Keepsake 02');
  shown.name = 'Keepsake 03';
  time.nowMs += day - 1;
  await round();
  expect(profile).toHaveBeenCalledTimes(1);
  time.nowMs += 1;
  profile.mockResolvedValueOnce(failure('steamUnavailable', 'later'));
  await round();
  expect(await stored()).toBe('Keepsake 02');
  await round();
  expect(await stored()).toBe('Keepsake 03');
  expect(profile).toHaveBeenCalledTimes(3);
});
