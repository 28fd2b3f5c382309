import { expect, test } from '@playwright/test';
import { demoPerson } from './demo-people.ts';
import { Person } from './person.ts';
import { SandboxPanel } from './sandbox-panel.ts';
import { asDemoStreamer } from './taking-turns.ts';

test('A viewer earns rewards by a subscription, channel points and a draw, and sees what is missing', async ({
  browser,
}) => {
  const contexts = await Promise.all([1, 2, 3].map(() => browser.newContext()));
  const [forPanel, forStreamer, forViewer] = await Promise.all(contexts.map((context) => context.newPage()));
  if (!forPanel || !forStreamer || !forViewer) throw new Error('no pages');
  const panel = new SandboxPanel(forPanel);
  const streamer = new Person(forStreamer, panel, demoPerson(0));
  const viewer = new Person(forViewer, panel, demoPerson(12));
  const [channel, name] = [streamer.names.login, viewer.names.login];
  const progress = (rule: string) =>
    viewer.page
      .getByRole('article')
      .filter({ has: viewer.page.getByRole('heading', { name: rule, exact: true }) });
  const isMet = (rule: string) => new RegExp(`For “${rule}”: you have met every condition`);
  await Promise.all([streamer.signIn(), viewer.signIn()]);

  await test.step('the streamer opens three rules; a paid draw is refused', () =>
    asDemoStreamer(async () => {
      await streamer.speak('en');
      await streamer.writeRule('Subscribers', { tier: 2, random: true });
      await expect(streamer.page.getByText(/is a lottery in many countries/)).toBeVisible();
      await streamer.openRule('Subscribers', { tier: 2 }, 1);
      await streamer.openRule('Points', { points: 500, watchMinutes: 5 }, 1);
      await streamer.openRule('Hat', { followDays: 30, watchMinutes: 4, random: true }, 2);
    }));
  await test.step('a new viewer sees what is missing', async () => {
    await panel.joinChat(channel, name);
    await panel.goLive(channel);
    await viewer.watches(panel, /Subscription to the channel/);
    await expect(progress('Subscribers')).toContainText(
      /Subscription to the channel\s*not yet, tier 2 or higher/,
    );
    await expect(progress('Points')).toContainText('Meet the other conditions first');
    await expect(progress('Hat')).toContainText(/Following\s*not yet/);
    await expect(progress('Hat')).toContainText(/Watch time since .* of 4 min/);
  });
  await test.step('their time grows on the open page, which is not loaded again for it', async () => {
    // A load may still be due for an earlier change, and is if a look at the chat came too late to count.
    await expect(async () => {
      await viewer.page.reload();
      await expect(viewer.page.getByText('Updates automatically')).toBeVisible();
      const loads: string[] = [];
      viewer.page.on('request', (request) => loads.push(request.url()));
      await expect(progress('Hat')).toContainText(/Watch time since .* of 4 min/);
      const before = await progress('Hat').innerText();
      await panel.advance({ minutes: 1 });
      await expect.poll(() => progress('Hat').innerText()).not.toBe(before);
      await expect(progress('Hat')).toContainText(/\+1 min/);
      expect(loads.filter((url) => url.includes('rewardProgress'))).toEqual([]);
    }).toPass();
  });
  await test.step('points spent too early are refunded, and the page says why', async () => {
    await panel.redeem(channel, name, 'Points');
    await viewer.seesOnProgress(/were refunded: the other conditions were not met/);
  });
  await test.step('a subscription with too low a tier is not enough; a gift sub with a sufficient one is', async () => {
    await panel.subscribe(channel, name, { tier: 1 });
    await viewer.seesOnProgress(/Subscription to the channel\s*tier 1, tier 2 or higher is needed/);
    await panel.unsubscribe(channel, name);
    await panel.subscribe(channel, name, { tier: 2, isGift: true });
    await viewer.seesOnProgress(isMet('Subscribers'));
  });
  await test.step('a viewer who follows and watches wins a draw', async () => {
    await panel.follow(channel, name, 40);
    await viewer.seesOnProgress(/Following\s*40 days of 30/);
    await viewer.watches(panel, isMet('Hat'));
  });
  await test.step('points spent in time get a promise', async () => {
    await viewer.watches(panel, /Every other condition is met. Redeem “Points”/);
    await panel.redeem(channel, name, 'Points');
    await viewer.seesOnProgress(isMet('Points'));
  });
  await test.step('anybody can verify the draw', async () => {
    await viewer.page.getByRole('link', { name: 'Proof of draw 1' }).click();
    await expect(viewer.page.getByRole('heading', { level: 1, name: 'Draw 1' })).toBeVisible();
    await expect(viewer.page.getByRole('main')).toContainText('the result is the same');
    await expect(viewer.page.getByRole('table').getByRole('row')).toHaveCount(3);
  });
  for (const context of contexts) await context.close();
});
