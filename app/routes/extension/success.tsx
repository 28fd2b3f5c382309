import { redirect } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { accountContext } from '#app/middleware/session.server.ts';
import type { Route } from './+types/success.ts';
import { LinkResult, linkedAccounts } from './link-result.tsx';

export const handle: PageHandle = { plain: true };

/** Shows success only if the user's account is really connected. */
export function loader({ request, context }: Route.LoaderArgs) {
  const named = new URL(request.url).searchParams.get('account');
  const account = linkedAccounts.find((each) => each === named);
  if (!account || !context.get(accountContext)?.[account])
    throw redirect(`/extension/failed${account ? `?account=${account}` : ''}`);
  return { account };
}

export default function LinkSucceeded({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const toProfile = <ButtonLink to="/profile">{t('extension.success.toProfile')}</ButtonLink>;
  return (
    <LinkResult good title={t('extension.success.title')} action={toProfile}>
      <p>{t(`extension.success.${loaderData.account}`)}</p>
      <p>{t('extension.success.next')}</p>
    </LinkResult>
  );
}
