import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { Ban, CircleCheck, Gift, Hourglass, RotateCcw, Timer } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { usePages } from '#app/components/lists/list-states.tsx';
import { type Column, Table } from '#app/components/lists/table.tsx';
import { ProofLink } from '#app/components/rules/proof-link.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RulePromise } from '#domain/rule/list-rule-rewards.ts';

const looks: Record<RulePromise['state'], { type: BadgeType; icon: Sign }> = {
  free: { type: 'plain', icon: Gift },
  promised: { type: 'accent', icon: Gift },
  reserved: { type: 'info', icon: Hourglass },
  claimed: { type: 'success', icon: CircleCheck },
  recalled: { type: 'plain', icon: Ban },
};

/** The text for a reward's state; after a claim, its transfer decides. */
function stateKey({ state, transferState }: RulePromise) {
  if (state === 'claimed' && transferState === 'settled') return 'transfers.state.settled';
  if (state !== 'reserved' || transferState === 'sent') return `rewards.state.${state}` as const;
  return transferState === 'escrowed' ? 'transfers.state.escrowed' : 'rewards.state.preparing';
}

function PromiseState({ promise }: { promise: RulePromise }) {
  const { t } = useTranslation();
  const { state, recallReason } = promise;
  if (state === 'recalled' && recallReason === 'timedOut')
    return (
      <Badge type="plain" icon={Timer}>
        {t('progress.status.timedOut')}
      </Badge>
    );
  if (state === 'recalled' && recallReason === 'reversed')
    return (
      <Badge type="danger" icon={RotateCcw}>
        {t('transfers.state.reversed')}
      </Badge>
    );
  if (state === 'recalled' && recallReason === 'depositReversed')
    return (
      <Badge type="danger" icon={RotateCcw}>
        {t('given.status.depositReversed')}
      </Badge>
    );
  if (state === 'recalled' && recallReason === 'stopped')
    return (
      <Badge type="plain" icon={Ban}>
        {t('given.status.stopped')}
      </Badge>
    );
  return (
    <Badge type={looks[state].type} icon={looks[state].icon}>
      {t(stateKey(promise))}
    </Badge>
  );
}

/** A rule's promises and their outcomes, with a link to the proof if the reward was drawn. */
export function RulePromises({ ruleId, promises }: { ruleId: string; promises: readonly RulePromise[] }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const proof: Column<RulePromise> = {
    key: 'proof',
    label: t('proof.link'),
    unnamed: true,
    cell: ({ drawNumber }) => drawNumber !== null && <ProofLink ruleId={ruleId} number={drawNumber} />,
  };
  return (
    <Table
      caption={t('rules.promises')}
      rows={promises}
      rowKey={(promise) => promise.id}
      columns={[
        {
          key: 'viewer',
          label: t('rules.viewer.name'),
          plain: true,
          cell: ({ viewerName }) => <b>{viewerName ?? t('rules.viewer.gone')}</b>,
        },
        {
          key: 'reward',
          label: t('rules.reward'),
          cell: (promise) => <ItemLine {...pictureOf(promise)} size="small" name={promise.itemName} />,
        },
        {
          key: 'state',
          label: t('rules.stateLabel'),
          cell: (promise) => (
            <>
              {promise.transferId ? (
                <Link to={`/transfers?open=${promise.transferId}`}>
                  <PromiseState promise={promise} />
                </Link>
              ) : (
                <PromiseState promise={promise} />
              )}
              {(promise.state === 'promised' || promise.state === 'reserved') && (
                <div className="s13 muted">
                  {t('given.step.by', { date: time(promise.claimUntilMs, 'short') })}
                </div>
              )}
              {promise.pointsBack && <div className="s13 muted">{t('rules.pointsBack')}</div>}
            </>
          ),
        },
        {
          key: 'when',
          label: t('rules.when'),
          cell: ({ promisedAtMs }) => <LocalTime ms={promisedAtMs} className="s13 muted" />,
        },
        ...(promises.some(({ drawNumber }) => drawNumber !== null) ? [proof] : []),
      ]}
    />
  );
}

/** Links to the next and previous rows, for one of several lists on a page. */
export function MoreRows({ parameter, next }: { parameter: string; next: string | null }) {
  const { t } = useTranslation();
  const pages = usePages(parameter);
  if (next === null && pages.previous === null) return null;
  return (
    <div className="sheet__foot">
      {pages.previous !== null && (
        <Link to={pages.previous} preventScrollReset>
          {t(pages.leadsToFirst ? 'common.first' : 'common.previous')}
        </Link>
      )}
      {next !== null && (
        <Link to={pages.next(next)} preventScrollReset>
          {t('common.next')}
        </Link>
      )}
    </div>
  );
}
