import { cutText, links } from '#platform/cut-text.ts';

/** Twitch truncates messages at 500 characters; this leaves room for what other programs add. */
export const MAX_LINE_LENGTH = 450;

/** Cuts a line to what Twitch takes. The last link stays, with what follows it: the text before it gives way. */
export function cutLine(text: string): string {
  if (text.length <= MAX_LINE_LENGTH) return text;
  const linkAt = [...text.matchAll(links)].at(-1)?.index ?? text.length;
  const end = linkAt < text.length ? `… ${text.slice(linkAt)}` : '…';
  return end.length < MAX_LINE_LENGTH
    ? cutText(text.slice(0, linkAt), MAX_LINE_LENGTH - end.length).trimEnd() + end
    : `${cutText(text, MAX_LINE_LENGTH - 1).trimEnd()}…`;
}

/** Joins as many parts as fit into `room`; `more` words the number left out. */
export function joinWithinLimit(
  parts: readonly string[],
  room: number,
  more: (count: number) => string,
): string {
  for (let shown = parts.length; shown > 0; shown -= 1) {
    const left = parts.length - shown;
    const line = [...parts.slice(0, shown), ...(left > 0 ? [more(left)] : [])].join(' · ');
    if (line.length <= room || shown === 1) return cutText(line, room);
  }
  return '';
}
