import { Form } from 'react-router';
import { ButtonLink, OutsideLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ExternalLink } from '#app/components/icons/signs.ts';
import { useSites } from '#app/components/shell/page-context.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { ModeratorRole } from '../channel/moderator-role.tsx';
import { Checklist } from './checklist.tsx';

export const roles = ['viewer', 'streamer'] as const;
export type Role = (typeof roles)[number];

/** The page for each step. Connecting an account returns to the checklist. */
const places = {
  twitch: '/auth/twitch?from=viewer',
  permissions: '/auth/twitch?permissions=streamer&from=streamer',
  steam: '/steam/link?from=',
  tradeLink: '/profile#trade-link',
  item: '/items',
  rule: '/rules/new?rewards=all',
} as const;

type Step = keyof typeof places;
export type Readiness = Record<Step, boolean>;

/** The steps for each role, in order. The extended permissions connect Twitch as well. */
const stepsOf = {
  viewer: ['twitch', 'steam', 'tradeLink'],
  streamer: ['permissions', 'steam', 'tradeLink', 'item', 'rule'],
} as const satisfies Record<Role, readonly Step[]>;

/** Returns whether a user has everything that a role needs. */
export const isReady = (role: Role, readiness: Readiness): boolean =>
  stepsOf[role].every((step) => readiness[step]);

/** The field of the trade link; a refusal is shown in the profile, with all that helps. */
function TradeLinkField({ role, picksNext }: { role: Role; picksNext: boolean }) {
  const { t } = useTranslation();
  return (
    <Form className="checklist__form" method="post" action="/profile">
      <input type="hidden" name="from" value={role} />
      <input
        className="input"
        id="trade-link"
        name="trade_link"
        type="url"
        inputMode="url"
        autoComplete="off"
        required
        maxLength={200}
        placeholder="https://steamcommunity.com/tradeoffer/new/?partner=…&token=…"
        aria-label={t('profile.tradeLink.label')}
      />
      <div className="line">
        <SubmitButton size="small" formAction="/profile">
          {t(picksNext ? 'dashboard.readiness.saveAndPick' : 'profile.tradeLink.save')}
        </SubmitButton>
        <OutsideLink
          kind="quiet"
          size="small"
          href={useSites().tradePrivacy}
          target="_blank"
          icon={ExternalLink}
        >
          {t('profile.tradeLink.find')}
        </OutsideLink>
      </div>
    </Form>
  );
}

interface ReadinessProps {
  role: Role;
  readiness: Readiness;
  /** The bot's accounts that a streamer can make moderators of the connected channel. */
  speakers: readonly string[];
}

/** The steps left before a viewer's or a streamer's first reward; hidden when none are left. */
export function ReadinessSheet({ role, readiness, speakers }: ReadinessProps) {
  const { t } = useTranslation();
  const steps: readonly Step[] = stepsOf[role];
  const open = steps.filter((step) => !readiness[step]);
  if (open.length === 0) return null;
  const list = steps.map((step) => ({
    key: step,
    label: t(`dashboard.readiness.${step}`),
    text: t(`dashboard.readiness.${step}Text`),
    done: readiness[step],
    action:
      step === 'tradeLink' && readiness.steam && !readiness.tradeLink ? (
        <TradeLinkField role={role} picksNext={role === 'streamer' && !readiness.item} />
      ) : (
        <ButtonLink
          size="small"
          kind={step === open[0] ? 'primary' : 'secondary'}
          to={step === 'steam' ? `${places.steam}${role}` : places[step]}
          // Links to Twitch and Steam leave this site.
          reloadDocument={step === 'twitch' || step === 'permissions' || step === 'steam'}
        >
          {t(`dashboard.readiness.${step}Act`)}
        </ButtonLink>
      ),
  }));
  const progress = t('dashboard.readiness.progress', {
    done: steps.length - open.length,
    total: steps.length,
  });
  return (
    <Sheet
      title={t(`dashboard.readiness.title.${role}`)}
      aside={<span className="s13 muted">{progress}</span>}
    >
      <Checklist steps={list} />
      <ModeratorRole speakers={speakers} />
    </Sheet>
  );
}
