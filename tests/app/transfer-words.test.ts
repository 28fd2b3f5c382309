import { expect, test } from 'vitest';
import { en } from '#app/locales/en.ts';
import { ru } from '#app/locales/ru.ts';
import type { SteamCode } from '#bot/steam/steam-account.ts';
import type { TransferEvent } from '#domain/transfer/transfer-machine.ts';

/** Possible reasons of a step or a failed transfer. */
type Fault =
  | SteamCode
  | 'followUnmet'
  | 'subscriberUnmet'
  | 'redemptionUnmet'
  | 'twitchSilent'
  | 'notConfirmed'
  | 'depositReversed'
  | 'batchEnded'
  | 'itemUnclear';

// Checked by the compiler: a bot's code without its own text does not type-check.
const faults: Record<'en' | 'ru', Record<Fault | 'unknown', string>> = {
  en: en.transfers.error,
  ru: ru.transfers.error,
};
/** Steps that change no state: a transfer that waits says for what. */
type Wait = 'waits' | 'heldBack' | 'resumed';
const steps: Record<'en' | 'ru', Record<TransferEvent | Wait, string>> = {
  en: en.transfers.step,
  ru: ru.transfers.step,
};

test.each(['en', 'ru'] as const)(
  'Each reason and each step of a transfer has its own text in %s',
  (language) => {
    expect(Object.values(faults[language]).every((words) => /^\p{Lu}.*\.$/u.test(words))).toBe(true);
    expect(Object.values(steps[language]).every((words) => words.length > 0)).toBe(true);
  },
);

test('A reason makes no promises: its transfer may have been given up', () => {
  expect(Object.values(faults.en).join(' ')).not.toContain('again');
});
