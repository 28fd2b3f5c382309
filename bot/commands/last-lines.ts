import { MAX_LINE_LENGTH } from './chat-line.ts';
import { delay, type Outlet } from './gather-questions.ts';

/** A line that Twitch drops because it came too soon after another cannot be sent again. */
const SPARE_MS = 300;

interface Chat {
  outlet: Outlet;
  texts: string[];
}

/** Joins texts to as few lines as they fit into. */
function joinTexts(texts: readonly string[]): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const longer = `${lines.at(-1)} · ${text}`;
    if (lines.length > 0 && longer.length <= MAX_LINE_LENGTH) lines[lines.length - 1] = longer;
    else lines.push(text);
  }
  return lines;
}

/**
 * Gathers the last lines of all commands: those into one chat are a pause apart, for which a stop has little time. One
 * that its chat takes only after `leftMs` is given up.
 */
export function gatherLastLines(leftMs: () => number) {
  const chats = new Map<string, Chat>();
  let isGivenUp = false;
  const sayIn = async (channelLogin: string, outlet: Outlet, texts: readonly string[]): Promise<void> => {
    for (const text of joinTexts(texts)) {
      for (let ms = outlet.waitMs(channelLogin); ms > 0; ms = outlet.waitMs(channelLogin)) {
        if (ms + SPARE_MS > leftMs()) return;
        await delay(ms + SPARE_MS);
      }
      if (isGivenUp) return;
      await outlet.say({ channelLogin, text });
    }
  };
  return {
    /** Takes lines in place of an outlet. */
    inPlaceOf: (outlet: Outlet): Outlet => ({
      waitMs: () => 0,
      async say({ channelLogin, text }) {
        const chat: Chat = chats.get(channelLogin) ?? { outlet, texts: [] };
        chats.set(channelLogin, chat);
        chat.texts.push(text);
      },
    }),
    /** Says them, as soon as the account may write into each chat. */
    async say(): Promise<void> {
      await Promise.all([...chats].map(([login, { outlet, texts }]) => sayIn(login, outlet, texts)));
    },
    giveUp(): void {
      isGivenUp = true;
    },
  };
}
