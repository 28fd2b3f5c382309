import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { ShareLink } from '#app/routes/progress/progress-share.tsx';
import { readRewards } from '#app/services/items/my-rewards.server.ts';
import { translations } from '#app/services/translations.server.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { acceptOffer, addPerson, addRule, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

test('Without JavaScript sharing is a link to the page that is shared', () => {
  const html = renderToStaticMarkup(
    <TranslationContext value={translations('en')}>
      <ShareLink to="/channels/demo/1" text="I earned a demo case" />
    </TranslationContext>,
  );
  expect(html).toContain('href="/channels/demo/1"');
  expect(html).toContain('>Share<');
});

test('A delivery can be shared unless the channel is hidden', async () => {
  const { userId, twitchId } = await addPerson(db);
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  await watchFor(db, streamer.twitchId, [[twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [reward] = await rewardsOf(db, ruleId);
  await claimReward(db, { rewardId: reward?.id ?? '', userId }, START_MS);
  const [offer] = await sendQueued(db, START_MS);
  await acceptOffer(db, offer?.id ?? '', [], START_MS);
  const isShareable = async () => (await readRewards(db, { userId }, START_MS)).delivered[0]?.isShareable;
  expect(await isShareable()).toBe(true);
  await setChannelHidden(db, { userId: streamer.userId, hidden: true }, START_MS);
  expect(await isShareable()).toBe(false);
});
