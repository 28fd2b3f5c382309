/** Twitch truncates messages at 500 characters; this leaves room for what other programs add. */
export const MAX_LINE_LENGTH = 450;

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
