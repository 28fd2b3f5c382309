import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { expect, onTestFinished } from 'vitest';
import { rewards } from '#db/schema/reward.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import type { Dialect } from '#sandbox/steam/dialects.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { claim } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hurriedPace,
  itemsOf,
  rewardOf,
  rifle,
  setSteamStage,
  startBot,
  transferIn,
} from '#tests/support/steam-stage.ts';
import { watchFor } from '#tests/support/watching.ts';
import { runFirstContact } from '../../cli/first-contact/first-contact.ts';

/** The command beside a running bot, in a folder of its own. */
export async function beginContact(shape: Partial<Dialect> = {}) {
  const stage = await setSteamStage();
  stage.world.speak(shape);
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-first-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clocks: { what: string }[] = [];
  const run = async (...args: string[]) => {
    const lines: string[] = [];
    const isOk = await runFirstContact(args, {
      db: stage.db,
      nowMs: stage.clock.now(),
      dataFolder: folder,
      publicUrl: new URL('https://example.org'),
      examineClocks: async () => clocks as never,
      print: (line) => lines.push(line),
    });
    const text = lines.join('\n');
    const field = (name: string) => new RegExp(`^${name}: +(.+)$`, 'm').exec(text)?.[1];
    return {
      isOk,
      text,
      now: /^ {2}now +(\w+)$/m.exec(text)?.[1],
      todo: field('What to do'),
      where: field('Where'),
      waitsFor: field('Waits for'),
      until: field('Until'),
    };
  };
  return { ...stage, stage, folder, clocks, run };
}

/** One item's whole way; `look` is called at each step. Returns what the command says at the end. */
export async function goAllTheWay(
  contact: Awaited<ReturnType<typeof beginContact>>,
  look: (step: string, said: Awaited<ReturnType<typeof contact.run>>) => void = () => {},
) {
  const { stage, run, db, clock, world, streamer, viewer } = contact;
  look('bot', await run());
  await startBot(stage, hurriedPace);
  look('deposit', await run());
  const { transferId } = await askForDeposit(stage, rifle);
  const deposited = await transferIn(stage, transferId, 'sent');
  look('deposit', await run());
  world.accept(deposited.offerId ?? '', streamer.steamId);
  await transferIn(stage, transferId, 'accepted', 'settled');
  look('lock', await run());
  stage.passDays(9);
  await transferIn(stage, transferId, 'settled');
  look('rule', await run());
  const facts = { watchMinutes: 10, watchScope: 'sinceRule' as const, followMinutes: null };
  const ruleId = await addRule(db, streamer, { rewards: 0, nowMs: clock.now(), ...facts });
  const kinds = [{ appId: rifle.appid, marketHashName: rifle.market_hash_name, quantity: 1 }];
  expect(await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, clock.now())).toMatchObject({
    ok: true,
  });
  look('watching', await run());
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
  await evaluateChannel(db, streamer.twitchId, clock.now());
  const [reward] = await db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
  look('claim', await run());
  const claimed = await claim(stage, reward?.id ?? '');
  const given = await transferIn(stage, claimed, 'sent');
  look('delivery', await run());
  world.accept(given.offerId ?? '', viewer.steamId);
  await transferIn(stage, claimed, 'accepted', 'settled');
  look('protection', await run());
  stage.passDays(9);
  await transferIn(stage, claimed, 'settled');
  expect((await rewardOf(stage, reward?.id ?? '')).state).toBe('claimed');
  expect(await itemsOf(stage)).toMatchObject([{ state: 'gone' }]);
  return run();
}
