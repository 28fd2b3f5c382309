import type { SelfTest } from '#domain/bot/record-self-test.ts';
import type { Finding } from './finding.ts';

const endpoints: Record<SelfTest['endpoint'], string> = {
  list: 'the list of sent offers (IEconService/GetTradeOffers)',
  offer: 'the offer by its id (IEconService/GetTradeOffer)',
  page: 'the page of sent offers (tradeoffers/sent)',
  history: 'the trade history (IEconService/GetTradeHistory)',
  inventory: 'the inventory',
};

const differences: Record<NonNullable<SelfTest['difference']>, string> = {
  absent: 'does not show',
  state: 'shows another state of',
  contents: 'shows other contents of',
};

/** Names the difference without the offer's id. */
export const wordsOfSelfTest = ({ endpoint, difference, offers, appId }: SelfTest): string =>
  `${endpoints[endpoint]} ${differences[difference ?? 'absent']} an ${offers} offer of game ${appId}`;

const wordsOf = (test: SelfTest): string => `${wordsOfSelfTest(test)} (${test.offerId})`;

/** Finds the endpoints that do not show what others show of a bot's own offers. */
export function examineSelfTests(botId: string, tests: readonly SelfTest[]): Finding[] {
  const differing = tests.filter(({ difference }) => difference !== null);
  if (differing.length === 0) return [];
  return [
    {
      name: 'selfTestDiffers',
      what: `Steam does not show the offers of the bot ${botId} alike: ${differing.map(wordsOf).join('; ')}.`,
      why: 'Nothing is concluded from such an endpoint until it agrees again: transfers that depend on it wait.',
      remedy:
        'Look for these offers on Steam as the bot. If they are as Keepsake says, wait: the bot tests again every hour. Otherwise see docs/custody.md.',
    },
  ];
}
