import { expect, test } from 'vitest';
import { MAX_LINE_LENGTH } from '#bot/commands/chat-line.ts';
import { raffleLines } from '#bot/commands/raffle-line.ts';
import { en } from '#bot/locales/en.ts';
import { ru } from '#bot/locales/ru.ts';
import type { RaffleAnnouncement } from '#db/schema/twitch.ts';
import { minute } from '#domain/kernel/time.ts';

const raffleId = '019b8e07-4600-771b-8658-c8735226672b';
const [commitment, listHash] = ['ab'.repeat(32), 'cd'.repeat(32)];
const started = {
  kind: 'started',
  raffleId,
  keyword: 'k'.repeat(25),
  item: '★ StatTrak™ Specialist Gloves | Crimson Kimono (Battle-Scarred)',
  winners: 25,
  endsAtMs: 120 * minute,
  commitment,
} as const;
const sealed = { kind: 'sealed', raffleId, entries: 12_345, listHash, commitment } as const;

test.each<[string, RaffleAnnouncement, string]>([
  ['the commitment of the seed', started, commitment],
  ['the hash of the entries so far', { kind: 'entered', raffleId, entries: 12_345, listHash }, listHash],
  ['the hash of the closed list', sealed, listHash],
  ['the commitment of the seed beside it', sealed, commitment],
  ['where the draw will be', sealed, `https://keepsake.demo.example.org/raffle/${raffleId}`],
])('A line tells %s whole, so that whoever keeps it can check with it', (_, announcement, whole) => {
  for (const { raffle } of [en, ru]) {
    const [line = ''] = raffleLines(raffle, announcement, {
      origin: 'https://keepsake.demo.example.org',
      nowMs: 0,
    });
    expect(line).toContain(whole);
    expect(line.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
  }
});
