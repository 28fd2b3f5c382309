import spriteUrl from '#app/styles/icons.svg?url&no-inline';
import type * as signs from './signs.ts';

/** An icon's drawing. */
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
 * A decorative icon beside a text, hidden from screen readers. All drawings are in one file that is fetched once:
 * inlined, they would be a third of a list's rendering cost. Each icon's markup is cached, because lists have
 * hundreds of them.
 */
export function Icon({ of: sign, size = 'normal', className }: Props) {
  return (
    <svg
      className={className ? `${sizes[size]} ${className}` : sizes[size]}
      aria-hidden="true"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the address and the name are constants of ours.
      dangerouslySetInnerHTML={drawingOf(sign)}
    />
  );
}
