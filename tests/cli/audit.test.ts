import { expect, test } from 'vitest';
import { endedRewards } from '#db/schema/reward.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { addRule, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { runAudit } from '../../cli/audit.ts';

setScene();

async function run(...args: string[]) {
  const lines: string[] = [];
  const ok = await runAudit(args, { db, nowMs: START_MS, print: (line) => void lines.push(line) });
  return { ok, said: lines.join('\n') };
}

test('An audit names counts that differ, and counts them again when asked', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 2 });
  const [item] = await itemsOf(db, streamer.userId);
  const { appId, marketHashName } = item!;
  const kinds = [{ appId, marketHashName, quantity: 1 }];
  const asked = { ruleId, userId: streamer.userId, kinds };
  expect(await detachRewards(db, asked, START_MS)).toMatchObject({ ok: true });
  expect(await run()).toEqual({ ok: true, said: '2 items compared with the ledger, 0 differ.' });
  await db.transaction((tx) => tx.update(endedRewards).set({ claimed: 5 }).execute());
  expect(await run()).toEqual({ ok: false, said: expect.stringContaining('--rebuild-counts') });
  expect(JSON.parse((await run('--json')).said)).toEqual({
    items: 2,
    drifts: [],
    counts: { endedRewards: 1, ruleOwners: 0, left: 1, rebuilt: false },
  });
  expect(await run('--rebuild-counts')).toEqual({
    ok: true,
    said: expect.stringMatching(/1 of ended rewards, 0 owners of claims\. They are counted again\.$/),
  });
  expect(JSON.parse((await run('--json')).said)).toMatchObject({ counts: { endedRewards: 0 } });
  expect((await run('--rebuild')).said).toContain('Usage: keepsake audit');
});
