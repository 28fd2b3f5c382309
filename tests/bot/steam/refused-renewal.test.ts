import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { bots } from '#db/schema/bot.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { letLeaseRunOut, spawnBot } from '#tests/support/bot-process.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { setSteamStage, transferIn, until } from '#tests/support/steam-stage.ts';

test.each([15, 84])(
  'A process whose second bot is refused its tokens with %i delivers with the first, also after a restart',
  async (eresult) => {
    const stage = await setSteamStage();
    const { world, login } = stage;
    const [first, later] = [await promiseReward(stage), await promiseReward(stage)];
    const second = world.addUser({ name: 'Second bot', login: { ...login, accountName: 'demo_2' } });
    const refreshToken = issueToken(world.state, second, 'refresh');
    const accounts = [stage.credentials, { ...stage.credentials, name: 'bot-2', refreshToken }];
    const refusal = { kind: 'result', eresult } as const;
    world.pushFault({
      target: 'renewal',
      when: 'before',
      effect: refusal,
      steamId: second.steamId,
      times: 1000,
    });
    const secondRow = async () =>
      (await stage.db.read.select().from(bots).where(eq(bots.id, 'bot-2')))[0] ?? null;

    const running = spawnBot(stage, accounts);
    const stopped = await until(
      async () => {
        const row = await secondRow();
        return row?.fault && row.state === 'offline' ? row : null;
      },
      'the second bot stopped',
      2 * PATIENCE_MS,
    );
    expect(stopped).toMatchObject({ fault: 'webSessionRefused', logOnPauseMs: 120_000 });
    await transferIn(stage, await claim(stage, first.rewardId), 'sent');
    expect([running.child.exitCode, running.child.signalCode]).toEqual([null, null]);

    const asked = world.faults()[0]?.remaining;
    running.kill();
    await running.ended;
    await letLeaseRunOut(stage);
    const again = spawnBot(stage, accounts);
    await transferIn(stage, await claim(stage, later.rewardId), 'sent');
    // The pause goes on, so that Steam is not even asked.
    expect(await secondRow()).toMatchObject({ fault: 'webSessionRefused' });
    expect(world.faults()[0]?.remaining).toBe(asked);
    expect([again.child.exitCode, again.child.signalCode]).toEqual([null, null]);
  },
);
