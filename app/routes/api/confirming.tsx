import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { listConfirmedCalls } from './described.server.ts';

/** The answer to an unconfirmed session of an account with a password. */
const refusedExample = {
  status: '403',
  code: 'identityUnconfirmed',
  meta: {
    confirm: {
      method: 'POST',
      path: '/api/v1/users/confirm',
      fields: ['password'],
      page: '/profile/confirm',
    },
  },
};

/** Explains how a client meets a call that needs a confirmed session, and answers it. */
export function Confirming({ calls }: { calls: ReturnType<typeof listConfirmedCalls> }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('api.docs.confirming.title')}>
      <p>{t('api.docs.confirming.calls')}</p>
      <ul>
        {calls.map(({ name, method, path }) => (
          <li key={name}>
            <a href={`#${name}`}>
              <code>
                {method} {path}
              </code>
            </a>
          </li>
        ))}
      </ul>
      <p>{t('api.docs.confirming.refused')}</p>
      <pre className="api-example">
        <code>{JSON.stringify({ errors: [refusedExample] }, null, 2)}</code>
      </pre>
      {(['session', 'replaced', 'token', 'page', 'wrong'] as const).map((key) => (
        <p key={key}>{t(`api.docs.confirming.${key}`)}</p>
      ))}
    </Sheet>
  );
}
