import spriteUrl from '#app/styles/icons.svg?url&no-inline';
import type * as signs from './signs.ts';

/** What an icon draws. */
export type Sign = (typeof signs)[keyof typeof signs];

const sizes = { small: 'icon icon-s', normal: 'icon', large: 'icon icon-l' };

type Props = { of: Sign; size?: keyof typeof sizes; className?: string };

const drawings = new Map<Sign, { __html: string }>();

function drawingOf(sign: Sign): { __html: string } {
  const drawing = drawings.get(sign) ?? { __html: `<use href="${spriteUrl}#${sign}"></use>` };
  drawings.set(sign, drawing);
  return drawing;
}

/**
 * A drawn sign beside a word; it never speaks alone, so screen readers pass it over. The drawings are fetched once, in
 * one file: as elements of the pages they would be a third of what drawing a list costs. So is each sign's text made
 * once: lists have hundreds of them.
 */
export function Icon({ of: sign, size = 'normal', className }: Props) {
  return (
    <svg
      className={className ? `${sizes[size]} ${className}` : sizes[size]}
      aria-hidden="true"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: both the address and the name are ours.
      dangerouslySetInnerHTML={drawingOf(sign)}
    />
  );
}
