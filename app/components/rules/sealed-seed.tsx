import { Code } from '#app/components/feedback/code.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RuleProof } from '#domain/view/get-proof.ts';

type Seed = Pick<RuleProof, 'ruleId' | 'commitment' | 'seed'>;

/** A rule's commitment, its seed once it is revealed, and a link to the draws unless this is their page. */
export function SealedSeed({ proof, here = false }: { proof: Seed; here?: boolean }) {
  const { t } = useTranslation();
  return (
    <section>
      <SectionHead title={t('proof.seedTitle')} />
      <div className="sheet sheet__pad stack stack-3">
        <p className="s13 muted">{t('proof.commitmentText')}</p>
        <Code>{proof.commitment}</Code>
        {proof.seed === null ? (
          <p className="s13 muted">{t('proof.seedSecret')}</p>
        ) : (
          <>
            <p className="s13 muted">{t('proof.seedRevealed')}</p>
            <Code>{proof.seed}</Code>
          </>
        )}
        {!here && (
          <Link className="s13" to={`/proof/${proof.ruleId}`}>
            {t('proof.ofRule')}
          </Link>
        )}
      </div>
    </section>
  );
}
