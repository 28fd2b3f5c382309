import { Fragment } from 'react';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight, Pause } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { hadRewards, maxCells, Pool, splitReserved } from '#app/components/rules/pool.tsx';
import { ConditionWords } from '#app/components/rules/rule-words.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useChanceText, useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { ChannelPage } from '#app/services/channels/channel-page.server.ts';
import type { OwnStandings } from '#app/services/channels/own-standings.server.ts';
import { joined } from '#platform/isolated.ts';
import { OwnProgress } from './own-progress.tsx';

type ShownRule = ChannelPage['offers'][number];

/** The kinds that a viewer may get: of random rewards all with their chances, of others those after the first. */
function Kinds({ rule: { type, kinds, unnamed } }: { rule: ShownRule }) {
  const { t } = useTranslation();
  const listed = type === 'random' ? kinds : kinds.slice(1);
  if (kinds.length < 2) return null;
  return (
    <ul className="rows lined s13">
      {listed.map(({ key, name, exterior, chance, picture }) => (
        <li key={key} className="item">
          <ItemArt {...picture} size="small" />
          <span className="item__text">
            <Unbroken text={name} />
            {exterior !== '' && <span className="faint"> {exterior}</span>}
          </span>
          <Chance chance={chance} />
        </li>
      ))}
      {unnamed && (
        <li className="item">
          <span className="item__text muted">
            {t(unnamed.isPart ? 'channelPage.otherKindsAtLeast' : 'channelPage.otherKinds', {
              count: unnamed.count,
            })}
          </span>
          <Chance chance={unnamed.chance} />
        </li>
      )}
    </ul>
  );
}

/** The chance that the next draw gives this. */
function Chance({ chance }: { chance: number | null }) {
  const { t } = useTranslation();
  const chanceText = useChanceText();
  if (chance === null) return null;
  return (
    <span className="num nowrap muted">
      <span className="vh">{t('proof.chanceNow')} </span>
      {chanceText(chance)}
    </span>
  );
}

type OfferProps = {
  rule: ShownRule;
  /** The viewer's own standing; undefined for visitors and under rules of their own. */
  own: OwnStandings[string] | undefined;
  to?: string;
};

/**
 * A rule that is open or paused, named after the item that it gives: the conditions, its other kinds, and how many are left; with a link
 * to its own page.
 */
export function Offer({ rule, own, to }: OfferProps) {
  const { t } = useTranslation();
  const number = useNumberText();
  const span = useSpanText();
  const time = useTimeText();
  const lines = useConditionLines(rule);
  const { recalled: _, ...pool } = rule.pool;
  const total = pool.free + pool.promised + pool.reserved + pool.claimed;
  const [first, ...others] = rule.kinds;
  const title = <Unbroken text={first?.name ?? rule.name} />;
  return (
    <article className="sheet offer">
      {first && <ItemArt {...first.picture} />}
      <div className="offer__body">
        <ConditionWords rule={rule} />
        <div>
          <h3>{to ? <Link to={to}>{title}</Link> : title}</h3>
          <p className="s13 muted">
            {joined(
              [
                first?.exterior,
                others.length > 0
                  ? t(rule.type === 'random' ? 'channelPage.orAtRandom' : 'channelPage.firstInLine')
                  : null,
              ],
              ' · ',
            )}
          </p>
        </div>
        <Kinds rule={rule} />
        {own && <OwnProgress own={own} asked={rule} />}
        <div>
          <Pool counts={splitReserved(pool, rule.preparing)} />
          {total > maxCells && <p className="s13 faint">{t('channelPage.markForSeveral')}</p>}
        </div>
        {rule.pause && (
          <div>
            <Badge type="warning" icon={Pause}>
              {t('rules.state.paused')}
            </Badge>
            <p className="s13 muted">
              {rule.pause.resumesAtMs === null
                ? t('channelPage.paused')
                : t('channelPage.pausedUntil', { time: time(rule.pause.resumesAtMs, 'time') })}
            </p>
          </div>
        )}
        <p className="offer__left">
          <b>{t('channelPage.leftOf', { free: number(pool.free), total: number(total) })}</b>{' '}
          {t('channelPage.ofRule', { rule: rule.name })}{' '}
          {t('channelPage.toClaim', { span: span(rule.claimTimeoutHours * 3600) })}
          {rule.sendDelayHours > 0 &&
            ` ${t('channelPage.sentAfter', { span: span(rule.sendDelayHours * 3600) })}`}
          {rule.pointsRefused
            ? ` ${t('channelPage.pointsRefused')}`
            : lines.map(({ key, promise }) => promise && <Fragment key={key}> {promise}</Fragment>)}
          {rule.type === 'random' && (
            <>
              {' '}
              <Link to={`/proof/${rule.id}`}>{t('channelPage.checkDraws')}</Link>
            </>
          )}
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
