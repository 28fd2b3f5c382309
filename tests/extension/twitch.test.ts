import { Window } from 'happy-dom';
import { afterEach, expect, test, vi } from 'vitest';
import type { ChannelProgress } from '#extension/instance.ts';

const progress: ChannelProgress = {
  login: 'ours',
  ruleName: 'Ten hours',
  isMet: false,
  watch: { haveSeconds: 11_400, needSeconds: 36_000 },
  inChat: null,
};
const ready = { login: 'ours', itemName: 'Knife', ruleName: 'Two', claimUntil: '2026-11-14T18:40:00.000Z' };

/** The script for Twitch's pages, in a browser of this language, on a page that is no channel's. */
async function load(language: string) {
  const page = new Window({ url: 'https://www.twitch.tv/directory' });
  vi.useFakeTimers({ toFake: ['setInterval'] });
  vi.stubGlobal('document', page.document);
  vi.stubGlobal('location', page.location);
  vi.stubGlobal('browser', { i18n: { getUILanguage: () => language } });
  vi.resetModules();
  const { lineOf } = await import('#extension/twitch/page.ts');
  return (facts: Partial<ChannelProgress>, rewards = [] as (typeof ready)[]) =>
    lineOf({ instance: 'https://site.example', progress: [{ ...progress, ...facts }], ready: rewards });
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('The line says how far somebody is, and whether the last look found them in chat', async () => {
  const lineOf = await load('en-US');
  expect(lineOf({ inChat: 'counted' })?.text).toBe('Ten hours: 3 h 10 min of 10 h · in chat now');
  expect(lineOf({ inChat: 'absent' })?.text).toBe('Ten hours: 3 h 10 min of 10 h · not in chat now');
  expect(lineOf({ inChat: 'uncounted' })?.text).toContain('in chat now, not counted');
  for (const inChat of ['unknown', 'a word of a later site', null])
    expect(lineOf({ inChat })?.text).toBe('Ten hours: 3 h 10 min of 10 h');
  // There is nothing left to wait for.
  expect(lineOf({ inChat: 'absent', isMet: true })?.text).toBe('Ten hours: All conditions are met');
});

test('A reward that is ready takes the place of progress, with the way to claim it', async () => {
  const lineOf = await load('en-US');
  expect(lineOf({ inChat: 'counted' }, [ready])).toEqual({
    text: '1 reward is ready to claim',
    link: 'https://site.example/rewardProgress',
  });
});

test('In a Russian browser the line is Russian', async () => {
  const lineOf = await load('ru');
  expect(lineOf({ inChat: 'counted' })?.text).toBe('Ten hours: 3 ч 10 мин из 10 ч · сейчас в чате');
  expect(lineOf({ inChat: 'absent' })?.text).toContain(' · сейчас не в чате');
});
