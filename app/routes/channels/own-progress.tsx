import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { Ban, CircleCheck, Gift, Hourglass, Timer } from '#app/components/icons/signs.ts';
import { type AskingRule, useConditionLines } from '#app/components/rules/condition-lines.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { TextKey } from '#app/locales/translation.ts';
import type { OwnStandings } from '#app/services/channels/own-standings.server.ts';
import type { Standing } from '#domain/view/list-standings.ts';
import { Conditions, useConditionRows } from '../progress/progress-conditions.tsx';

type Own = OwnStandings[string];
type Shown = { own: Own; asked: AskingRule };

/** Standings with nothing left to measure: a word, and whether the viewer's own page says what to do next. */
const decided: Record<
  Exclude<Standing, 'inProgress' | 'outOfRewards'>,
  { type: BadgeType; icon: Sign; word: TextKey; leadsOn?: true }
> = {
  waiting: { type: 'success', icon: CircleCheck, word: 'progress.status.waiting', leadsOn: true },
  readyToClaim: { type: 'accent', icon: Gift, word: 'progress.ready', leadsOn: true },
  awaitingConfirmation: { type: 'info', icon: Hourglass, word: 'progress.awaiting', leadsOn: true },
  claimed: { type: 'success', icon: CircleCheck, word: 'rewards.state.claimed' },
  timedOut: { type: 'plain', icon: Timer, word: 'progress.status.timedOut' },
  recalled: { type: 'plain', icon: Ban, word: 'progress.status.recalled' },
};

function useRows({ own: { progress }, asked }: Shown) {
  return useConditionRows({ progress, asked, ruleCreatedAtMs: null });
}

function Measures(shown: Shown) {
  return <Conditions rows={useRows(shown)} />;
}

function Decided({ standing }: { standing: keyof typeof decided }) {
  const { t } = useTranslation();
  const { type, icon, word, leadsOn } = decided[standing];
  return (
    <p className="line line-tight s13">
      <Badge type={type} icon={icon}>
        {t(word)}
      </Badge>
      {leadsOn && <Link to="/rewardProgress">{t('channelPage.progress')}</Link>}
    </p>
  );
}

/** The viewer's own progress under a rule of a public page. */
export function OwnProgress({ own, asked }: Shown) {
  const { t } = useTranslation();
  const { standing } = own;
  return (
    <div className="stack stack-2">
      <p className="vh">{t('channelPage.own')}</p>
      {standing === 'inProgress' || standing === 'outOfRewards' ? (
        <Measures own={own} asked={asked} />
      ) : (
        <Decided standing={standing} />
      )}
    </div>
  );
}

/** Own progress on the card of a channel, if the viewer has begun. */
export function OwnBegun({ own, asked }: Shown) {
  const rows = useRows({ own, asked });
  const watch = useConditionLines(asked).find(({ key }) => key === 'watch');
  const hasBegun = rows.some(({ met, progress }) => met || (progress?.value ?? 0) > 0);
  if (!hasBegun && !(own.standing in decided)) return null;
  return (
    <div>
      <OwnProgress own={own} asked={asked} />
      {watch && !(own.standing in decided) && <p className="s13 faint">{watch.note}</p>}
    </div>
  );
}
