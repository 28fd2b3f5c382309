import type { ComponentProps, ReactNode } from 'react';
import { useFormAction, useNavigation } from 'react-router';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { Link } from '#app/components/shell/link.tsx';

/** One primary button per view; `danger-fill` only in confirmations. */
export type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger' | 'danger-fill';

type Look = {
  kind?: ButtonKind;
  size?: 'small' | 'normal' | 'large';
  wide?: boolean;
  icon?: Sign;
  children?: ReactNode;
  className?: string;
};

function classOf({ kind = 'secondary', size = 'normal', wide = false, className = '' }: Look): string {
  const parts = ['btn', `btn--${kind}`];
  if (size !== 'normal') parts.push(`btn--${size}`);
  if (wide) parts.push('btn--wide');
  if (className) parts.push(className);
  return parts.join(' ');
}

type ButtonProps = Look & Omit<ComponentProps<'button'>, keyof Look> & { busy?: boolean };

/** A button. While busy it stays focusable, so that the focus is not lost. */
export function Button({ kind, size, wide, icon, className, children, busy, ...rest }: ButtonProps) {
  return (
    <button
      type="submit"
      {...rest}
      className={classOf({ kind, size, wide, className } as Look)}
      aria-busy={busy || undefined}
    >
      {icon && !busy && <Icon of={icon} size={size === 'small' ? 'small' : 'normal'} />}
      {children}
    </button>
  );
}

/** The submit button of a page's form, busy while the form is being sent. */
export function SubmitButton({ kind = 'primary', ...rest }: ButtonProps) {
  const navigation = useNavigation();
  const action = useFormAction();
  const busy = navigation.state !== 'idle' && navigation.formAction === (rest.formAction ?? action);
  return <Button kind={kind} {...rest} busy={busy} />;
}

type LinkProps = Look & Omit<ComponentProps<typeof Link>, keyof Look>;

/** A link that looks like a button. */
export function ButtonLink({ kind, size, wide, icon, className, children, ...rest }: LinkProps) {
  return (
    <Link {...rest} className={classOf({ kind, size, wide, className } as Look)}>
      {icon && <Icon of={icon} size={size === 'small' ? 'small' : 'normal'} />}
      {children}
    </Link>
  );
}

type OutsideProps = Look & Omit<ComponentProps<'a'>, keyof Look>;

/** A link to another site that looks like a button; the icon, if any, follows the text. */
export function OutsideLink({ kind, size, wide, icon, className, children, ...rest }: OutsideProps) {
  return (
    <a rel="noreferrer" {...rest} className={classOf({ kind, size, wide, className } as Look)}>
      {children}
      {icon && <Icon of={icon} size="small" />}
    </a>
  );
}
