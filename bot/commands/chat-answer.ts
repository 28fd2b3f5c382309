import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { SharedLine } from '#bot/commands/gather-questions.ts';
import type { ChatLines } from '#bot/locales/en.ts';
import { cutText } from '#platform/cut-text.ts';
import { MAX_LINE_LENGTH } from './chat-line.ts';

/** An answer to one viewer. */
export interface PersonalAnswer {
  /** The whole line, if nobody else asked. */
  alone: string;
  /** The viewer's part of a line for several. */
  part: string;
}

/** Joins the answers of as many viewers as fit into a line; nobody's part is cut unless it is longer than a line. */
export async function joinAnswers(
  messages: readonly ChatMessage[],
  others: number,
  answerTo: (message: ChatMessage) => Promise<PersonalAnswer>,
  { tail, more }: { tail: string; more: ChatLines['together']['more'] },
): Promise<SharedLine> {
  const room = MAX_LINE_LENGTH - tail.length;
  let text = '';
  let answered = 0;
  for (const message of messages) {
    const { alone, part } = await answerTo(message);
    if (messages.length === 1 && others === 0) return { text: alone, answered: 1 };
    const longer = text === '' ? part : `${text} · ${part}`;
    if (answered > 0 && longer.length > room) return { text: text + tail, answered };
    text = cutText(longer, room);
    answered += 1;
  }
  if (others === 0) return { text: text + tail, answered };
  const rest = ` · ${more({ count: others })}`;
  // Without room for the others' number, the last viewer waits with them for the next line.
  if (text.length + rest.length > room && answered > 1)
    return joinAnswers(messages.slice(0, -1), 0, answerTo, { tail, more });
  return { text: cutText(text, room - rest.length) + rest + tail, answered };
}
