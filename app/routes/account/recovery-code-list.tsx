import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink, OutsideLink } from '#app/components/forms/button.tsx';
import { Download } from '#app/components/icons/signs.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** New recovery codes: shown once, to print or to download. */
export function RecoveryCodeList({ title, codes }: { title: string; codes: readonly string[] }) {
  const { t } = useTranslation();
  const text = `${t('common.name')}: ${t('secondFactor.codes.title')}\n\n${codes.join('\n')}\n`;
  return (
    <Sheet title={t('secondFactor.codes.title')}>
      <Callout type="success" title={title}>
        <p>
          {t('secondFactor.codes.text')} {t('secondFactor.codes.once')}
        </p>
      </Callout>
      <ul className="recovery-codes" aria-label={t('secondFactor.codes.list')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="line">
        <ButtonLink kind="primary" to="/profile/second-factor">
          {t('secondFactor.codes.back')}
        </ButtonLink>
        <OutsideLink
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="keepsake-recovery-codes.txt"
          icon={Download}
        >
          {t('secondFactor.codes.download')}
        </OutsideLink>
      </div>
    </Sheet>
  );
}
