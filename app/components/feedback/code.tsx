import { Icon } from '#app/components/icons/icon.tsx';
import { Check, Copy } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { useCopy } from './use-copy.ts';

/** A code to read or copy: a security code (big), a hash, an id. The copy button appears with JavaScript; without React, `copy-code.ts` runs it. */
export function Code({ children, big = false }: { children: string; big?: boolean }) {
  const { t } = useTranslation();
  const { able, copied, copy } = useCopy(children);
  return (
    <div className={big ? 'code code--big' : 'code'}>
      <code>{children}</code>
      <button
        type="button"
        className="btn btn--quiet btn--icon btn--small"
        aria-label={`${t('common.copy')}: ${children}`}
        hidden={!able}
        data-copied={t('common.copied')}
        onClick={copy}
      >
        <Icon of={copied ? Check : Copy} />
      </button>
      <span className="vh" role="status">
        {copied ? t('common.copied') : ''}
      </span>
    </div>
  );
}
