import { ButtonLink } from '#app/components/forms/button.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Route } from './+types/success.ts';
import { LinkResult, linkedAccounts } from './link-result.tsx';

export const handle: PageHandle = { plain: true };

export function loader({ request }: Route.LoaderArgs) {
  const named = new URL(request.url).searchParams.get('account');
  return { account: linkedAccounts.find((account) => account === named) ?? null };
}

export default function LinkSucceeded({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const toProfile = <ButtonLink to="/profile">{t('extension.success.toProfile')}</ButtonLink>;
  return (
    <LinkResult good title={t('extension.success.title')} action={toProfile}>
      <p>{t(`extension.success.${loaderData.account ?? 'unnamed'}`)}</p>
      <p>{t('extension.success.next')}</p>
    </LinkResult>
  );
}
