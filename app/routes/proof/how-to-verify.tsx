import { Code } from '#app/components/feedback/code.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Explains how anyone can check draws without trusting this site. */
export function HowToVerify({ ruleId, site }: { ruleId: string; site: string }) {
  const { t } = useTranslation();
  const file = `/proof/${ruleId}.json`;
  return (
    <section>
      <SectionHead title={t('proof.howTitle')} />
      <div className="sheet sheet__pad stack stack-3 s13">
        <p>
          <a href="/proof/verify-draws.mjs">{t('proof.script')}</a>
        </p>
        <p className="muted">{t('proof.how')}</p>
        <Code>{`node verify-draws.mjs ${site}${file}`}</Code>
        <p className="muted">{t('proof.howFiles')}</p>
        <p>
          <a href={file}>{t('proof.data')}</a>
        </p>
      </div>
    </section>
  );
}
