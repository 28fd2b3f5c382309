import spriteUrl from '#app/styles/icons.svg?url&no-inline';
import type * as signs from './signs.ts';

/** What an icon draws. */
export type Sign = (typeof signs)[keyof typeof signs];

const sizes = { small: 'icon icon-s', normal: 'icon', large: 'icon icon-l' };

type Props = { of: Sign; size?: keyof typeof sizes; className?: string };

/**
 * A drawn sign beside a word; it never speaks alone, so screen readers pass it over. The drawings are fetched once, in
 * one file: as elements of the pages they would be a third of what drawing a list costs.
 */
export function Icon({ of: sign, size = 'normal', className }: Props) {
  return (
    <svg className={className ? `${sizes[size]} ${className}` : sizes[size]} aria-hidden="true">
      <use href={`${spriteUrl}#${sign}`} />
    </svg>
  );
}
