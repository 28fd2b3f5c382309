import { afterAll, expect, test } from 'vitest';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { startFakeBot } from './support/fake-bot.ts';
import { setWebEnvironment } from './support/web-environment.ts';

const bot = await startFakeBot();
setWebEnvironment({ BOT_URL: bot.url });
afterAll(() => bot.stop());

test('A rush nudges the bot once in a while and once more at its end, not for each claim', async () => {
  for (let claims = 0; claims < 50; claims++) nudgeBot();
  await expect.poll(() => bot.nudges).toBe(1);
  for (let claims = 0; claims < 50; claims++) nudgeBot();
  await expect.poll(() => bot.nudges).toBe(2);
  nudgeBot();
  await expect.poll(() => bot.nudges).toBe(3);
});
