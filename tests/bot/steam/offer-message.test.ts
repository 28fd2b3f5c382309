import { expect, test } from 'vitest';
import { instanceTagOf, isOurMessage, offerMessageOf } from '#bot/steam/transfers/offer-message.ts';

const securityCode = 'K7Q2-M4XD';
const kinds = ['deposit', 'return', 'claim'] as const;
const tag = instanceTagOf('a key');

test('An offer’s message has its code and fits what Steam allows', () => {
  const messages = kinds.map((kind) => offerMessageOf({ kind, securityCode }, tag));
  for (const message of messages) {
    expect(message).toContain(securityCode);
    expect(message.length).toBeLessThanOrEqual(128);
  }
  expect(new Set(messages).size).toBe(kinds.length);
});

test('An instance knows its own offers by the tag of its key', () => {
  expect(tag).toMatch(/^[A-HJKMNP-TV-Z2-9]{6}$/);
  expect(instanceTagOf('a key')).toBe(tag);
  expect(instanceTagOf('another key')).not.toBe(tag);
  for (const kind of kinds) {
    const message = offerMessageOf({ kind, securityCode }, tag);
    expect(isOurMessage(message, tag)).toBe(true);
    expect(isOurMessage(message, instanceTagOf('another key'))).toBe(false);
    expect(isOurMessage(`${message}!`, tag)).toBe(false);
    expect(isOurMessage(`Re: ${message}`, tag)).toBe(false);
  }
  expect(isOurMessage(null, tag)).toBe(false);
  expect(isOurMessage(`Ref. ${tag}`, tag)).toBe(false);
});
