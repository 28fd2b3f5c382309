import { type ComponentProps, useEffect } from 'react';
import { useNavigate } from 'react-router';

type Props = Omit<ComponentProps<'a'>, 'href'> & {
  to: string;
  /** It leaves this site, or needs a full page load. */
  reloadDocument?: boolean;
  /** What it leads to stands at the same place of the page. */
  preventScrollReset?: boolean;
};

/**
 * A link to a page of ours. The router's own works out on the server, for each link, what only a click needs: that is
 * done once for all of them, by `useLinks`. `data-discover` has the router learn about the page before the click.
 */
export function Link({ to, reloadDocument, preventScrollReset, ...rest }: Props) {
  if (reloadDocument) return <a {...rest} href={to} />;
  return <a {...rest} href={to} data-discover="true" data-prevent-scroll-reset={preventScrollReset} />;
}

type Click = Pick<MouseEvent, 'button' | 'metaKey' | 'altKey' | 'ctrlKey' | 'shiftKey'>;

/** Whether a click opens what it leads to right here, and not in a tab or a window of its own. */
export const staysHere = ({ button, metaKey, altKey, ctrlKey, shiftKey }: Click): boolean =>
  button === 0 && !(metaKey || altKey || ctrlKey || shiftKey);

/** Follows links without a full page load. React's own handlers run before this one. */
export function useLinks(): void {
  const navigate = useNavigate();
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      if (event.defaultPrevented || !staysHere(event) || !(event.target instanceof Element)) return;
      const link = event.target.closest<HTMLAnchorElement>('a[data-discover]');
      if (!link || (link.target !== '' && link.target !== '_self')) return;
      event.preventDefault();
      void navigate(`${link.pathname}${link.search}${link.hash}`, {
        replace: link.href === location.href,
        preventScrollReset: link.dataset.preventScrollReset === 'true',
      });
    };
    document.addEventListener('click', follow);
    return () => document.removeEventListener('click', follow);
  }, [navigate]);
}
