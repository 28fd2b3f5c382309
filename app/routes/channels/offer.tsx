import { Fragment } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { hadRewards, Pool, splitReserved } from '#app/components/rules/pool.tsx';
import { ConditionWords } from '#app/components/rules/rule-words.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ChannelPage } from '#app/services/channels/channel-page.server.ts';

type ShownRule = ChannelPage['offers'][number];

/** An open rule: pictures of free rewards, its conditions, and how many are left; with a link to its own page. */
export function Offer({ rule, to }: { rule: ShownRule; to?: string }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const span = useSpanText();
  const lines = useConditionLines(rule);
  const { recalled: _, ...pool } = rule.pool;
  const total = pool.free + pool.promised + pool.reserved + pool.claimed;
  return (
    <article className="sheet offer">
      <div className={`offer__art offer__art--${rule.pictures.length}`}>
        {rule.pictures.map((picture, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pictures may be identical and have no other key.
          <ItemArt key={place} {...picture} />
        ))}
      </div>
      <div className="offer__body">
        <div>
          <h3>{to ? <Link to={to}>{rule.name}</Link> : rule.name}</h3>
          <ConditionWords rule={rule} />
        </div>
        <Pool counts={splitReserved(pool, rule.preparing)} />
        <p className="offer__left">
          <b>{t('channelPage.leftOf', { free: number(pool.free), total: number(total) })}</b>{' '}
          {t('channelPage.toClaim', { hours: rule.claimTimeoutHours })}
          {rule.sendDelayHours > 0 &&
            ` ${t('channelPage.sentAfter', { span: span(rule.sendDelayHours * 3600) })}`}
          {rule.pointsRefused
            ? ` ${t('channelPage.pointsRefused')}`
            : lines.map(({ key, promise }) => promise && <Fragment key={key}> {promise}</Fragment>)}
        </p>
      </div>
    </article>
  );
}

/** Rules without free rewards, one line each. */
export function EmptyRules({ rules }: { rules: readonly ShownRule[] }) {
  const { t } = useTranslation();
  if (rules.length === 0) return null;
  const lines = (
    <div className="stack stack-1 s13 muted mt-6">
      {rules.map(({ id, name, waiting, pool }) => {
        const [all, inLine] = hadRewards(pool)
          ? (['channelPage.emptyRule', 'channelPage.emptyWaiting'] as const)
          : (['channelPage.neverFilled', 'channelPage.neverFilledWaiting'] as const);
        return (
          <p key={id}>{waiting > 0 ? t(inLine, { rule: name, count: waiting }) : t(all, { rule: name })}</p>
        );
      })}
    </div>
  );
  if (rules.length <= MAX_LINES) return lines;
  return (
    <details className="twin mt-6">
      <summary>
        <Icon of={ChevronRight} size="small" />
        {t('progress.withoutRewards', { count: rules.length })}
      </summary>
      {lines}
    </details>
  );
}

/** More rules without rewards are folded. */
const MAX_LINES = 3;
