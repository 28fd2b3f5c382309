import type { LucideIcon } from 'lucide-react';

const sizes = { small: 'icon icon-s', normal: 'icon', large: 'icon icon-l' };

type Props = { of: LucideIcon; size?: keyof typeof sizes; className?: string };

/** A drawn sign beside a word; it never speaks alone, so screen readers pass it over. */
export function Icon({ of: Sign, size = 'normal', className }: Props) {
  return (
    <Sign
      className={className ? `${sizes[size]} ${className}` : sizes[size]}
      aria-hidden="true"
      focusable="false"
    />
  );
}
