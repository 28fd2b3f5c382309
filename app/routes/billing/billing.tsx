import { data } from 'react-router';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Gift } from '#app/components/icons/signs.ts';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { orUnavailable } from '#app/services/available.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { getUsage } from '#domain/subscription/get-usage.ts';
import type { Route } from './+types/billing.ts';
import { UsageBars } from './usage-bars.tsx';

export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const usage = await orUnavailable(context, async () =>
    getUsage(await database(), userId, await domainNow()),
  );
  return data({ usage }, { status: usage ? 200 : 503 });
}

/** What an instance without billing shows instead of a plan. */
function FreeInstance() {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <div className="line between">
        <h2>{t('billing.free')}</h2>
        <Badge type="success" icon={Gift}>
          {t('billing.badge')}
        </Badge>
      </div>
      <p className="muted">{t('billing.freeText')}</p>
    </div>
  );
}

export default function Billing({ loaderData: { usage } }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t('billing.title')} lede={t('billing.lede')} />
      {usage ? (
        <div className="sheet sheet__pad plan">
          <FreeInstance />
          <UsageBars usage={usage} />
        </div>
      ) : (
        <Unavailable title={t('billing.unavailable')} />
      )}
    </>
  );
}
