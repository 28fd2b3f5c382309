import { test } from 'vitest';
import { type Play, playClaim, playDeposit, playReturn } from '#tests/support/dialect-plays.ts';
import { titleOf } from '#tests/support/dialect-table.ts';
import { gems, hat } from '#tests/support/steam-stage.ts';

const kinds: [name: string, play: Play][] = [
  ['open offers are left out of the list', { shape: { openOffers: 'leftOut' } }],
  ['open offers of one game are left out of the list', { shape: { openOffers: 'counterStrikeLeftOut' } }],
  [
    'a first sending is refused in unknown words',
    { shape: { firstSendings: 'unknownWords' }, losesAnswers: false, attempts: 2 },
  ],
  [
    'a first sending is refused with an unknown number, though the offer exists',
    { shape: { firstSendings: 'unknownNumber' }, losesAnswers: false },
  ],
  [
    'tokens are refused to one of two bots',
    { shape: { renewals: 'refused' }, secondBot: 'webSessionRefused' },
  ],
  ['several confirmations at once are refused', { shape: { confirmations: 'single' }, atOnce: 3 }],
  [
    'items of another game are protected',
    // The context alone says so.
    { shape: { protectedGames: 'all', settlement: 'absent' }, kind: hat },
  ],
  ['stacks stay assets of their own', { shape: { protectedGames: 'all' }, kind: gems, deposited: hat }],
  [
    'stacks merge into the one that is there',
    { shape: { protectedGames: 'all', stacks: 'merged' }, kind: gems, deposited: hat },
  ],
];

test.each(kinds)(titleOf(['claim', 'reversal'], '%s'), (_, play) => playClaim(play));
test.each(kinds)(titleOf(['deposit'], '%s'), (_, play) => playDeposit(play));
test.each(kinds)(titleOf(['return', 'restart'], '%s'), (_, play) => playReturn(play));
