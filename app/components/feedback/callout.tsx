import type { ReactNode } from 'react';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { CircleAlert, CircleCheck, Info, ShieldCheck, TriangleAlert } from '#app/components/icons/signs.ts';

export type CalloutType = 'plain' | 'info' | 'success' | 'warning' | 'danger';

const icons: Record<CalloutType, Sign> = {
  plain: ShieldCheck,
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
};

type Props = { type?: CalloutType; title?: ReactNode; icon?: Sign; children?: ReactNode };

/** A message within the page; its title is not a heading. Strings become paragraphs; danger is announced at once. */
export function Callout({ type = 'plain', title, icon = icons[type], children }: Props) {
  return (
    <div
      className={type === 'plain' ? 'callout' : `callout callout--${type}`}
      role={type === 'danger' ? 'alert' : undefined}
    >
      <Icon of={icon} className={type === 'plain' ? 'accent' : ''} />
      {title && <p className="callout__title">{title}</p>}
      {children}
    </div>
  );
}
