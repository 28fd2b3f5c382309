import { ButtonLink } from '#app/components/forms/button.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { readTradeReadiness } from '#app/routes/account/trade-readiness.server.ts';
import type { Route } from './+types/trade-link.ts';
import { TradeReadinessList } from './trade-readiness.tsx';

/** Steam's current answer. `fresh` asks Steam again instead of using the bot's cached answer. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const fresh = new URL(request.url).searchParams.has('fresh');
  return { readiness: await readTradeReadiness(account, { fresh }) };
}

export default function TradeLink({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { readiness } = loaderData;
  return (
    <>
      <PageHead
        title={t('identity.readiness.title')}
        lede={t('identity.readiness.lede')}
        above={[{ to: '/profile', label: t('profile.title') }]}
      />
      <Sheet>
        {readiness ? (
          <TradeReadinessList readiness={readiness} />
        ) : (
          <p className="muted">{t('identity.readiness.needsLink')}</p>
        )}
        <div className="line">
          {readiness ? (
            <ButtonLink to="/profile/trade-link?fresh=1">{t('identity.readiness.again')}</ButtonLink>
          ) : (
            <ButtonLink to="/profile#trade-link">{t('profile.title')}</ButtonLink>
          )}
        </div>
      </Sheet>
    </>
  );
}
