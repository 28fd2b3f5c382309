import { Fragment, type ReactNode } from 'react';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { CircleCheck, Dices, Gift, Lock, Package, Pause, Tv } from '#app/components/icons/signs.ts';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PauseReason, RuleType } from '#db/schema/rule.ts';
import { isLowOnStock } from '#domain/rule/low-stock.ts';
import { type AskingRule, useConditionLines } from './condition-lines.ts';
import { hadRewards, type PoolCounts } from './pool.tsx';

/** The icon of each type of rule. */
export const typeIcons: Record<RuleType, Sign> = { one: Gift, random: Dices };

/** The conditions below a rule's name in a list. */
export function ConditionWords({
  rule,
  channel,
}: {
  rule: AskingRule & { type: RuleType };
  /** The channel's name; omitted on the owner's own channel. */
  channel?: string | undefined;
}) {
  const { t } = useTranslation();
  const lines = useConditionLines(rule);
  return (
    <div className="rule__conds">
      {channel !== undefined && (
        <span>
          <Icon of={Tv} />
          {channel}
        </span>
      )}
      <span>
        <Icon of={typeIcons[rule.type]} />
        {t(`rules.type.${rule.type}`)}
      </span>
      {lines.map(({ key, icon, text, note, hintInLists }) => (
        <span key={key}>
          <Icon of={icon} />
          {hintInLists ? `${text}, ${note.charAt(0).toLowerCase()}${note.slice(1)}` : text}
        </span>
      ))}
    </div>
  );
}

/** The reward of a viewer, as an item of a sheet. */
export function TypeLine({ type }: { type: RuleType }) {
  const { t } = useTranslation();
  return (
    <div className="item">
      <Icon of={typeIcons[type]} className="faint" />
      <div className="item__text">
        <div className="strong">{t(`rules.type.${type}`)}</div>
        <div className="item__meta">{t(`rules.form.${type}Text`)}</div>
      </div>
    </div>
  );
}

/** A rule's conditions as items of a sheet, each with a note on how it is counted. */
export function ConditionList({ rule }: { rule: AskingRule }) {
  const lines = useConditionLines(rule);
  return lines.map(({ key, icon, text, note, fault }) => (
    <Fragment key={key}>
      <div className="item">
        <Icon of={icon} className="faint" />
        <div className="item__text">
          <div className="strong">{text}</div>
          <div className="item__meta">{note}</div>
        </div>
      </div>
      {fault && (
        <Callout type="warning">
          <p>{fault}</p>
        </Callout>
      )}
    </Fragment>
  ));
}

/**
 * Shows whether a rule is running and, if not, the reason. A refusal by Twitch comes before anything the
 * streamer could add.
 */
export function RuleBadge({
  rule,
}: {
  rule: AskingRule & {
    state: 'open' | 'paused' | 'closed';
    pauseReason: PauseReason | null;
    pool: PoolCounts & { free: number; recalled: number };
  };
}) {
  const { t } = useTranslation();
  const refused = useConditionLines(rule).find(({ badge }) => badge);
  if (rule.state === 'closed')
    return (
      <Badge type="plain" icon={Lock}>
        {t('rules.state.closed')}
      </Badge>
    );
  if (rule.state === 'paused')
    return (
      <Badge type="warning" icon={Pause}>
        {t(rule.pauseReason ? `rules.paused.${rule.pauseReason}` : 'rules.state.paused')}
      </Badge>
    );
  if (refused)
    return (
      <Badge type="warning" icon={refused.icon}>
        {refused.badge}
      </Badge>
    );
  if (rule.pool.free === 0)
    return (
      <Badge type="warning" icon={Package}>
        {t(hadRewards(rule.pool) ? 'rules.state.outOfRewards' : 'rules.state.noRewardsYet')}
      </Badge>
    );
  const { free, ...taken } = rule.pool;
  if (isLowOnStock({ free, isUsed: hadRewards(taken) }))
    return (
      <Badge type="warning" icon={Package}>
        {t('rules.state.lowOnStock')}
      </Badge>
    );
  return (
    <Badge type="success" icon={CircleCheck}>
      {t('rules.state.open')}
    </Badge>
  );
}

/** Shows the number of free rewards of a pool. */
export function FreeOf({
  pool,
  waiting,
}: {
  pool: { free: number; promised: number; reserved: number; claimed: number };
  waiting: number;
}): ReactNode {
  const { t } = useTranslation();
  const number = useNumberText();
  const total = pool.free + pool.promised + pool.reserved + pool.claimed;
  return (
    <span className="s13 muted">
      {total === 0
        ? t('rules.noRewardsTitle')
        : t('rules.freeOf', { free: number(pool.free), total: number(total) })}
      {waiting > 0 && <> · {t('rules.waiting', { count: waiting })}</>}
    </span>
  );
}
