import { ButtonLink } from '#app/components/forms/button.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Checklist } from './checklist.tsx';

/** The steps to being ready, in their order, and where each is done. */
const steps = [
  { name: 'email', to: '/email/unverified' },
  { name: 'twitch', to: '/auth/twitch' },
  { name: 'permissions', to: '/auth/twitch?permissions=streamer' },
  { name: 'steam', to: '/steam/link' },
  { name: 'tradeLink', to: '/profile#trade-link' },
  { name: 'item', to: '/items' },
  { name: 'rule', to: '/rules/new' },
] as const;

export type Readiness = Record<(typeof steps)[number]['name'], boolean>;

/** The steps left before the first reward; hidden when all are done. */
export function ReadinessSheet({ readiness }: { readiness: Readiness }) {
  const { t } = useTranslation();
  const open = steps.filter(({ name }) => !readiness[name]);
  if (open.length === 0) return null;
  const list = steps.map(({ name, to }) => ({
    key: name,
    label: t(`dashboard.readiness.${name}`),
    text: t(`dashboard.readiness.${name}Text`),
    done: readiness[name],
    action: (
      <ButtonLink
        size="small"
        kind={name === open[0]?.name ? 'primary' : 'secondary'}
        to={to}
        // Links to Twitch and Steam leave this site.
        reloadDocument={to.startsWith('/auth/') || to.startsWith('/steam/')}
      >
        {t(`dashboard.readiness.${name}Act`)}
      </ButtonLink>
    ),
  }));
  const progress = t('dashboard.readiness.progress', {
    done: steps.length - open.length,
    total: steps.length,
  });
  return (
    <Sheet
      title={t('dashboard.readiness.open', { count: open.length })}
      aside={<span className="s13 muted">{progress}</span>}
    >
      <Checklist steps={list} />
    </Sheet>
  );
}
