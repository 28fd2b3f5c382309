import { isRouteErrorResponse } from 'react-router';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Link } from './link.tsx';
import { useDocument } from './page-context.tsx';
import { PageTitle } from './page-title.tsx';
import { PublicShell } from './public-shell.tsx';

const kinds = {
  400: 'badRequest',
  403: 'forbidden',
  404: 'notFound',
  405: 'notFound',
  413: 'tooLarge',
  429: 'tooMany',
  503: 'unavailable',
} as const;

function kindOf(error: unknown) {
  if (!isRouteErrorResponse(error)) return 'failed';
  return kinds[error.status as keyof typeof kinds] ?? (error.status < 500 ? 'badRequest' : 'failed');
}

/** An error page: a description of the error, and links to go on. Never a stack trace. */
export function FailurePage({ error }: { error: unknown }) {
  const { t } = useTranslation();
  const { requestId } = useDocument();
  const kind = kindOf(error);
  const title = t(`errors.page.${kind}Title`);
  return (
    <PublicShell>
      <PageTitle>{title}</PageTitle>
      <div className="wrap">
        <div className="blank">
          <h1>{title}</h1>
          <p>{t(`errors.page.${kind}`)}</p>
          {kind === 'failed' && requestId !== '' && (
            <p className="s13 faint">
              {t('errors.page.code')} <code>{requestId.slice(0, 8)}</code>
            </p>
          )}
          <Link className="btn btn--secondary" to="/">
            {t('errors.page.home')}
          </Link>
        </div>
      </div>
    </PublicShell>
  );
}
