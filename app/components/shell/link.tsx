import { type ComponentProps, useEffect } from 'react';
import { useNavigate } from 'react-router';

type Props = Omit<ComponentProps<'a'>, 'href'> & {
  to: string;
  /** It leaves this site, or needs a full page load. */
  reloadDocument?: boolean;
  /** The target has the same scroll position. */
  preventScrollReset?: boolean;
};

/**
 * A link to one of our pages. The router's own link computes, on the server and for each link, things that
 * only a click needs; `useLinks` does so once for all links. `data-discover` makes the router load the page's
 * route before the click.
 */
export function Link(props: Props) {
  // Copying all properties but a few takes longer than drawing the link, and most links have none to leave
  // out.
  if (!('reloadDocument' in props || 'preventScrollReset' in props))
    return <a {...{ ...props, to: undefined }} href={props.to} data-discover="true" />;
  const { to, reloadDocument, preventScrollReset, ...rest } = props;
  if (reloadDocument) return <a {...rest} href={to} />;
  return <a {...rest} href={to} data-discover="true" data-prevent-scroll-reset={preventScrollReset} />;
}

type Click = Pick<MouseEvent, 'button' | 'metaKey' | 'altKey' | 'ctrlKey' | 'shiftKey'>;

/** Returns whether a click opens the target here, and not in a new tab or window. */
export const staysHere = ({ button, metaKey, altKey, ctrlKey, shiftKey }: Click): boolean =>
  button === 0 && !(metaKey || altKey || ctrlKey || shiftKey);

/** Follows links without a full page load. React's own handlers run first. */
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
