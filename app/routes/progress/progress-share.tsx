import { type MouseEvent, useState } from 'react';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/**
 * Shares a page with the device's own menu, or copies its address. Without JavaScript, or where neither is possible, it
 * is a link to that page.
 */
export function ShareLink({ to, text }: { to: string; text: string }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  const share = (event: MouseEvent) => {
    const url = new URL(to, location.href).href;
    const { clipboard } = navigator;
    if ('share' in navigator) {
      event.preventDefault();
      // A visitor who closes the menu has decided not to share.
      navigator.share({ text, url }).catch(() => {});
    } else if (clipboard) {
      event.preventDefault();
      void clipboard.writeText(url).then(() => setCopied(true));
    }
  };
  return (
    <>
      <Link className="btn btn--secondary" to={to} reloadDocument onClick={share}>
        {t('progress.share')}
      </Link>
      <span className="s13 muted" role="status">
        {copied && t('progress.linkCopied')}
      </span>
    </>
  );
}
