import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** A link to the proof of a draw. */
export function ProofLink({ ruleId, number }: { ruleId: string; number: number }) {
  const { t } = useTranslation();
  return (
    <Link className="s13 nowrap" to={`/proof/${ruleId}/${number}`} aria-label={t('proof.linkOf', { number })}>
      {t('proof.link')}
    </Link>
  );
}
