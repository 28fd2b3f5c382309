import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { DryRun } from '#domain/view/dry-run.ts';
import { joined } from '#platform/isolated.ts';

/** The length of the period in days, if less is known. */
const periodDays = 30;

type Props = { found: DryRun };
type WordsProps = Props & {
  /** Number of rewards picked for the rule. */
  rewards: number;
  /** The number of viewers is the largest on the page. */
  focal?: boolean;
};

function Meeting({ found, focal }: Props & { focal: boolean }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const { viewers, meeting, unread, pointsToo, streamsToo, startsAtZero, nothingKnown, days } = found;
  if (nothingKnown && unread.length === 0) return null;
  if (nothingKnown) return <p className="strong">{t('rules.dryRun.unknown')}</p>;
  if (days === 0) return <p className="strong">{t('rules.dryRun.neverWatched')}</p>;
  const words = { meeting: number(meeting), count: viewers };
  const text =
    unread.length > 0 || (pointsToo && streamsToo)
      ? t('rules.dryRun.atMost', words)
      : streamsToo
        ? t('rules.dryRun.whoComes', words)
        : pointsToo
          ? t('rules.dryRun.whoPays', words)
          : startsAtZero
            ? t('rules.dryRun.meetSince', words)
            : t('rules.dryRun.meetAll', words);
  return (
    <>
      {focal ? (
        <p className="focal num" aria-hidden="true">
          {number(meeting)}
        </p>
      ) : (
        <p className="metric__value" aria-hidden="true">
          {number(meeting)} <small>/ {number(viewers)}</small>
        </p>
      )}
      <p>{text}</p>
    </>
  );
}

/** The names of viewers who meet the rule and can be promised a reward. */
function Registered({ found }: { found: DryRun }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const { registered, names } = found;
  if (registered === 0) return <p className="muted">{t('rules.dryRun.noneRegistered')}</p>;
  const rest = registered - names.length;
  return (
    <p className="muted">
      {t('rules.dryRun.registered', { count: registered })} {joined(names, ', ')}
      {rest > 0 && ` ${t('rules.dryRun.more', { amount: number(rest) })}`}
    </p>
  );
}

function Cost({ found }: { found: DryRun }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const { registered, meeting } = found;
  const text =
    registered === meeting
      ? t('rules.dryRun.takesAll', { count: registered })
      : t('rules.dryRun.takes', { count: registered, all: number(meeting) });
  return <p className="muted">{text}</p>;
}

function Lasting({ pool }: Pick<DryRun, 'pool'>) {
  const { t } = useTranslation();
  const { available: count, lastsDays } = pool;
  if (count === 0) return <p className="muted">{t('rules.dryRun.noItems')}</p>;
  const text =
    lastsDays === null
      ? t('rules.dryRun.lastsLong', { count })
      : lastsDays === 0
        ? t('rules.dryRun.gone', { count })
        : t('rules.dryRun.lasts', { count, span: t('common.days', { count: lastsDays }) });
  return <p className="muted">{text}</p>;
}

/** Viewers that are drawn as cells. */
const MAX_CELLS = 36;

/** The registered viewers who would get one of the picked rewards, and those who would wait. */
function Reach({ found: { registered }, rewards }: Props & { rewards: number }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const served = Math.min(registered, rewards);
  const text =
    served === registered
      ? t('rules.dryRun.enough', { count: rewards })
      : t('rules.dryRun.short', { count: registered - served, rewards: number(rewards) });
  return (
    <>
      <div className="match" aria-hidden="true">
        {Array.from({ length: Math.min(registered, MAX_CELLS) }, (_, place) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: cells are alike, and nothing else tells them apart.
            key={place}
            className={`cell cell--${place < served ? 'promised' : 'recalled'}`}
          />
        ))}
      </div>
      <p className="s13">{text}</p>
    </>
  );
}

/** The number of viewers of the last days who would have met a rule. Unknown values are shown as unknown. */
export function DryRunWords({ found, rewards, focal = false }: WordsProps) {
  const { t } = useTranslation();
  const { unread, streamsToo, nothingKnown, days, meeting, atOnce } = found;
  const counted = !nothingKnown && days > 0;
  return (
    <>
      {unread.length > 0 && (
        <p className="muted">
          {unread.map((list) => t(`rules.dryRun.unread.${list}`)).join(' ')} {t('rules.dryRun.unreadSoon')}
        </p>
      )}
      {streamsToo && <p className="muted">{t('rules.dryRun.streamsFromNow')}</p>}
      <Meeting found={found} focal={focal} />
      {counted && meeting > 0 && (
        <>
          {rewards > 0 && found.registered > 0 && <Reach found={found} rewards={rewards} />}
          <Registered found={found} />
          {rewards === 0 && <Cost found={found} />}
        </>
      )}
      {atOnce !== null && (
        <p className="muted">
          {atOnce === 0 ? t('rules.dryRun.atOnceNone') : t('rules.dryRun.atOnce', { count: atOnce })}
        </p>
      )}
      {counted && (meeting > 0 || found.pool.available === 0) && <Lasting pool={found.pool} />}
    </>
  );
}

/** The number of days covered. */
export function useDryRunTitle(): (found: DryRun) => string {
  const { t } = useTranslation();
  return ({ days }) => t('rules.dryRun.title', { count: days || periodDays });
}

/** The result below its heading or, before a dry run, the instructions for one. */
export function DryRunSheet({ found, rewards }: { found: DryRun | null; rewards: number }) {
  const { t } = useTranslation();
  const title = useDryRunTitle();
  return (
    <section className="sheet" aria-live="polite">
      <div className="sheet__head">
        <h2>{t('rules.dryRun.heading')}</h2>
        {found && <span className="s13 muted">{title(found)}</span>}
      </div>
      <div className="sheet__pad stack stack-3">
        {found ? (
          <DryRunWords found={found} rewards={rewards} focal />
        ) : (
          <p className="muted">{t('rules.dryRun.later')}</p>
        )}
      </div>
    </section>
  );
}
