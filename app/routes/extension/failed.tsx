import { ButtonLink } from '#app/components/forms/button.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { TextKey } from '#app/locales/translation.ts';
import {
  accountRefusals,
  type RefusalText,
  steamRefusals,
  twitchRefusals,
} from '#app/services/forms/refusals.server.ts';
import type { Route } from './+types/failed.ts';
import { type LinkedAccount, LinkResult, linkedAccounts } from './link-result.tsx';

export const handle: PageHandle = { plain: true };

/** The reasons why connecting can fail; any other value in the address is ignored. */
const reasons: Record<LinkedAccount, Record<string, RefusalText>> = {
  twitch: { ...accountRefusals, ...twitchRefusals },
  steam: { ...accountRefusals, ...steamRefusals },
};

const starts: Record<LinkedAccount, string> = {
  twitch: '/auth/twitch?from=extension',
  steam: '/steam/link?from=extension',
};

export function loader({ request }: Route.LoaderArgs) {
  const query = new URL(request.url).searchParams;
  const account = linkedAccounts.find((each) => each === query.get('account')) ?? null;
  const known = account ? reasons[account] : {};
  const reason = query.get('reason') ?? '';
  const key: TextKey = Object.hasOwn(known, reason)
    ? (known[reason]?.key ?? 'extension.failed.unknown')
    : 'extension.failed.unknown';
  return { account, key, retry: account && starts[account] };
}

export default function LinkFailed({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { account, key, retry } = loaderData;
  const again = retry && (
    <ButtonLink to={retry} reloadDocument>
      {t('extension.failed.retry')}
    </ButtonLink>
  );
  return (
    <LinkResult good={false} title={t('extension.failed.title')} action={again}>
      <p>
        {t(`extension.failed.${account ?? 'unnamed'}`)} {t(key)}
      </p>
      {retry && <p>{t('extension.failed.next')}</p>}
    </LinkResult>
  );
}
