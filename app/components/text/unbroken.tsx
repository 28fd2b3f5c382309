/** A word without a break may have this many characters; a longer one would be wider than a narrow tile. */
const MAX_UNBROKEN_LENGTH = 18;

/** A text whose words do not break at their hyphens, nor before a bar: "M4A1-S |", "Field-Tested". */
export function Unbroken({ text }: { text: string }) {
  // A pattern in parentheses keeps its matches, at the odd places.
  const parts = text.split(/(\S+ \||[^\s-]+-\S+)/);
  if (parts.length === 1) return text;
  return parts.map((part, place) =>
    place % 2 === 1 && part.length <= MAX_UNBROKEN_LENGTH ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other key.
      <span className="nowrap" key={place}>
        {part}
      </span>
    ) : (
      part
    ),
  );
}
