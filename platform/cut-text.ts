const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
export const links = /https?:\/\/\S+/g;

/** Cuts a text to this many characters. What people see as one character stays whole, and so does a link. */
export function cutText(text: string, room: number): string {
  if (text.length <= room) return text;
  let end = 0;
  for (const { index, segment } of graphemes.segment(text)) {
    if (index + segment.length > room) break;
    end = index + segment.length;
  }
  const split = [...text.matchAll(links)].find(
    ({ index, 0: link }) => index < end && index + link.length > end,
  );
  return text.slice(0, split?.index ?? end);
}
