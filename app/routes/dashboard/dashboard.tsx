import { useTranslation } from 'react-i18next';
import { PageHead } from '#app/components/page-head.tsx';
import { type Readiness, ReadinessSheet } from '#app/components/readiness.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { getReadiness } from '#domain/account/get-readiness.ts';
import type { Route } from './+types/dashboard.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId, name, verified, twitch, steam } = await requireVerifiedAccount(context);
  const { hasItem, hasRule } = await getReadiness(await database(), { userId });
  const readiness: Readiness = {
    email: verified,
    twitch: twitch !== null,
    permissions: twitch?.streamingFeaturesEnabled ?? false,
    steam: steam !== null,
    tradeLink: Boolean(steam?.tradeLink),
    item: hasItem,
    rule: hasRule,
  };
  return { name, readiness };
}

export default function Dashboard({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t('dashboard.title')} lede={t('dashboard.welcome', { name: loaderData.name })} />
      <ReadinessSheet readiness={loaderData.readiness} />
    </>
  );
}
