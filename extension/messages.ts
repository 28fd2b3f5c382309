import type { Answered, OwnOffers } from './answers.ts';
import { browser } from './browser.ts';
import type { ChannelProgress, ReadyReward } from './instance.ts';

/** A question of a script in a page to the background, which alone has the token. */
export type Asked = { ask: 'offers' } | { ask: 'channel'; login: string };

export interface ChannelAnswer {
  instance: string;
  progress: ChannelProgress[];
  ready: ReadyReward[];
}

async function send<T>(asked: Asked): Promise<Answered<T>> {
  try {
    const answer = (await browser().runtime.sendMessage(asked)) as Answered<T> | undefined;
    return answer ?? { ok: false, why: 'odd' };
  } catch {
    // The extension was updated or turned off while the page stayed open.
    return { ok: false, why: 'reload' };
  }
}

export const askForOffers = (): Promise<Answered<OwnOffers>> => send({ ask: 'offers' });
export const askForChannel = (login: string): Promise<Answered<ChannelAnswer>> =>
  send({ ask: 'channel', login });
