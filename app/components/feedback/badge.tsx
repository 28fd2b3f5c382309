import type { ReactNode } from 'react';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';

export type BadgeType = 'plain' | 'accent' | 'success' | 'warning' | 'danger' | 'info';

type Props = { type?: BadgeType; icon: Sign; solid?: boolean; children: ReactNode };

/** A state as an icon and a word. Only the icon is coloured. */
export function Badge({ type = 'plain', icon, solid = false, children }: Props) {
  return (
    <span className={`badge badge--${type}${solid ? ' badge--solid' : ''}`}>
      <Icon of={icon} />
      {children}
    </span>
  );
}
