import { expect, test } from 'vitest';
import { offerState, type Trade, type TradeOffer, tradeStatus } from '#sandbox/steam/state.ts';
import { MAX_LINES_PER_CHANNEL } from '#sandbox/twitch/chat-rooms.ts';
import type { ChatLine, TwitchUser } from '#sandbox/twitch/world-state.ts';
import { findDoubledAnswers } from '#tests/cluster/check-cluster.ts';
import { neverInCustody } from '#tests/soak/check-steam.ts';

const offer = (id: string, tradeId: string) => ({ id, tradeId, state: offerState.accepted }) as TradeOffer;
const trade = (id: string, status: Trade['status']) => ({ id, status }) as Trade;

test('Only a failed deposit whose trade was reversed was never in custody', () => {
  const steam = {
    offers: [offer('1', 'a'), offer('2', 'b'), offer('3', 'a'), offer('4', 'a')],
    trades: [trade('a', tradeStatus.protectionRollback), trade('b', tradeStatus.complete)],
  };
  const never = neverInCustody(steam, [
    { kind: 'deposit', state: 'failed', offerId: '1' },
    { kind: 'deposit', state: 'failed', offerId: '2' },
    { kind: 'deposit', state: 'reversed', offerId: '3' },
    { kind: 'claim', state: 'failed', offerId: '4' },
  ]);
  expect([...never]).toEqual(['1']);
});

const said = (userId: string, text: string, broadcasterId = '1') =>
  ({ userId, text, broadcasterId }) as ChatLine;
const users = ['ann', 'bea', 'cat'].map((displayName, n) => ({ id: `1${n}`, displayName }) as TwitchUser);

test('A second answer in a chat is found among many unanswered questions, also in a line for several', () => {
  const chat = [
    said('10', '!progress'),
    said('11', '!progress'),
    said('12', '!progress'),
    said('10', '!progress', '2'),
    said('9', '@ann 3 min · @bea 4 min'),
    said('9', '@ann, @bea earned a reward: “One”. Claim: here'),
  ];
  expect(findDoubledAnswers({ chat, users })).toEqual({ answers: 2, doubled: [] });
  const { doubled } = findDoubledAnswers({ chat: [...chat, said('9', '@cat 1 min · @bea 4 min')], users });
  expect(doubled).toEqual(['bea was answered again in 1: @cat 1 min · @bea 4 min']);
});

test('Nothing is taken for sure about the answers to people who asked twice', () => {
  const chat = [said('10', '!progress'), said('10', '!progress'), said('9', '@ann 3 min')];
  expect(findDoubledAnswers({ chat, users }).doubled).toEqual(['ann asked again in 1']);
});

test('A chat with as many lines as are kept may have had more answers', () => {
  const chat = Array.from({ length: MAX_LINES_PER_CHANNEL }, () => said('10', 'hello'));
  expect(findDoubledAnswers({ chat, users }).doubled).toEqual(['1 has more lines than are kept']);
  expect(findDoubledAnswers({ chat: chat.slice(1), users }).doubled).toEqual([]);
});
