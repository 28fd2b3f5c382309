/** Twitch truncates messages at 500 characters; this leaves room for what other programs add. */
export const MAX_LINE_LENGTH = 450;

/** Cuts a line to what Twitch takes, and no character in two. */
export const cutLine = (text: string): string =>
  text.slice(0, MAX_LINE_LENGTH).replace(/[\uD800-\uDBFF]$/, '');

/** Joins as many parts as fit into `room`; `more` words the number left out. */
export function joinWithinLimit(
  parts: readonly string[],
  room: number,
  more: (count: number) => string,
): string {
  for (let shown = parts.length; shown > 0; shown -= 1) {
    const left = parts.length - shown;
    const line = [...parts.slice(0, shown), ...(left > 0 ? [more(left)] : [])].join(' · ');
    if (line.length <= room || shown === 1) return line.slice(0, room);
  }
  return '';
}
