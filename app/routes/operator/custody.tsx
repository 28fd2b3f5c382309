import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { CustodyRow } from '#app/routes/operator/operator-custody.server.ts';
import { joined } from '#platform/isolated.ts';

/** Custody's open questions for the operator: the bot, the concern, and the first items affected. */
export function Custody({ rows }: { rows: readonly CustodyRow[] }) {
  const { t } = useTranslation();
  if (rows.length === 0) return null;
  return (
    <section>
      <SectionHead
        title={t('operator.custody.title')}
        aside={<span className="s13 muted">{t('operator.custody.aside')}</span>}
      />
      <div className="sheet rows">
        {rows.map(({ botId, concern, count, names }) => (
          <div key={`${botId} ${concern}`} className="op-doubt">
            <div>
              <p className="strong">{t(`operator.custody.${concern}`, { count })}</p>
              <p className="s13 muted">{botId}</p>
            </div>
            <p className="s13 op-fault">
              {joined(names, ', ')}
              {count > names.length && ` ${t('operator.custody.more', { count: count - names.length })}`}
            </p>
          </div>
        ))}
      </div>
    </section>
  );
}
