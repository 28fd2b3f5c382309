import { Badge } from '#app/components/feedback/badge.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { Ban, CircleCheck, CircleX, Gift } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useChanceText, useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { DrawProof, RuleProof } from '#domain/view/get-proof.ts';

/** Shows whether repeating a draw gives the recorded result. */
function Agreement({ agrees }: { agrees: boolean }) {
  const { t } = useTranslation();
  return (
    <Badge type={agrees ? 'success' : 'danger'} icon={agrees ? CircleCheck : CircleX}>
      {t(agrees ? 'proof.agrees' : 'proof.disagrees')}
    </Badge>
  );
}

/** A rule's draws, each with a link to its proof. */
export function DrawTable({ ruleId, draws }: { ruleId: string; draws: readonly DrawProof[] }) {
  const { t } = useTranslation();
  const chance = useChanceText();
  return (
    <Table
      caption={t('proof.draws')}
      rows={draws}
      rowKey={(draw) => draw.number}
      columns={[
        {
          key: 'number',
          label: t('proof.number'),
          plain: true,
          cell: ({ number }) => (
            <Link className="nowrap" to={`/proof/${ruleId}/${number}`}>
              {t('proof.draw', { number })}
            </Link>
          ),
        },
        {
          key: 'viewer',
          label: t('proof.viewer'),
          cell: ({ twitchId }) => <code className="nowrap">{twitchId}</code>,
        },
        {
          key: 'reward',
          label: t('proof.drawn'),
          cell: ({ item }) => <ItemLine {...pictureOf(item)} size="small" name={item.name} />,
        },
        { key: 'chance', label: t('proof.chance'), numeric: true, cell: (draw) => chance(draw.chance) },
        {
          key: 'when',
          label: t('proof.when'),
          cell: ({ drawnAtMs }) => <LocalTime ms={drawnAtMs} className="s13 muted nowrap" />,
        },
        {
          key: 'agrees',
          label: t('proof.doneAgain'),
          cell: ({ agrees, stopped }) => (
            <span className="stack stack-1">
              <Agreement agrees={agrees} />
              {stopped !== null && (
                <Badge type="plain" icon={Ban}>
                  {t('proof.stopped')}
                </Badge>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

/** The candidates of one draw, in the order in which they were counted. */
export function CandidateTable({ draw }: { draw: DrawProof }) {
  const { t } = useTranslation();
  const [number, chance] = [useNumberText(), useChanceText()];
  return (
    <Table
      caption={t('proof.candidates')}
      rows={draw.candidates}
      rowKey={(candidate) => candidate.rewardId}
      columns={[
        {
          key: 'kind',
          label: t('proof.kind'),
          plain: true,
          cell: ({ marketHashName, rewardId }) => (
            <span className="stack stack-1">
              <b>{marketHashName}</b>
              <code className="s13 faint">{rewardId}</code>
            </span>
          ),
        },
        { key: 'weight', label: t('proof.weight'), numeric: true, cell: ({ weight }) => number(weight) },
        { key: 'chance', label: t('proof.chance'), numeric: true, cell: (each) => chance(each.chance) },
        {
          key: 'drawn',
          label: t('proof.drawn'),
          unnamed: true,
          cell: ({ rewardId }) =>
            rewardId === draw.rewardId && (
              <Badge type="accent" icon={Gift}>
                {t('proof.drawn')}
              </Badge>
            ),
        },
      ]}
    />
  );
}

/** The fingerprint to keep: the latest one covers all earlier draws. */
export function LatestFingerprint({ head }: { head: NonNullable<RuleProof['head']> }) {
  const { t } = useTranslation();
  return (
    <section>
      <SectionHead title={t('proof.latestTitle')} />
      <div className="sheet sheet__pad stack stack-3">
        <p className="s13 muted">{t('proof.latestText', { number: head.number })}</p>
        <Code>{head.fingerprint}</Code>
      </div>
    </section>
  );
}

/** The fingerprint of one draw, and the previous one that it includes. */
export function Fingerprint({ draw }: { draw: DrawProof }) {
  const { t } = useTranslation();
  return (
    <section className="stack stack-3">
      <SectionHead title={t('proof.fingerprint')} />
      <p className="s13 muted">{t('proof.fingerprintText')}</p>
      <Code>{draw.fingerprint}</Code>
      {draw.number === 1 && <p className="s13 muted">{t('proof.goesOnFromSeed')}</p>}
      {draw.number > 1 && (
        <>
          <p className="s13 muted">{t('proof.goesOnFrom', { number: draw.number - 1 })}</p>
          <Code>{draw.previousFingerprint}</Code>
        </>
      )}
    </section>
  );
}
