/** Twitch cuts a message at 500 characters; a few stay free for what other programs add. */
export const MAX_LINE_LENGTH = 450;

/** As many parts as fit into `room`, and how many were left out in the words of `more`. */
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
