import type { Constraint, SubmissionResult } from '@conform-to/dom';
import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { Table } from '#app/components/lists/table.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ApiToken } from '#domain/identity/access/list-api-tokens.ts';

const page = '/settings/tokens';

type FormProps = {
  constraint: Partial<Record<string, Constraint>>;
  lastResult?: SubmissionResult | null | undefined;
};

/** Asks for the name of a new token. The response is a separate page that shows the token once. */
export function ApiTokenForm({ constraint, lastResult, name = '' }: FormProps & { name?: string }) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ name: string }>({
    id: 'api-token',
    constraint,
    lastResult,
    defaultValue: { name },
  });
  return (
    <Form className="stack" method="post" action={page} {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      <Field
        field={fields.name}
        label={t('settings.tokens.name')}
        hint={t('settings.tokens.nameHint')}
        autoComplete="off"
      />
      <div className="line">
        <SubmitButton kind="secondary" formAction={page}>
          {t('settings.tokens.create')}
        </SubmitButton>
      </div>
    </Form>
  );
}

/** The confirmation before a token is revoked, on its page and in its dialog. */
export function useRevokeQuestion() {
  const { t } = useTranslation();
  return ({ name }: Pick<ApiToken, 'name'>) => ({
    title: t('settings.tokens.question', { name }),
    text: t('settings.tokens.consequence'),
    act: t('settings.tokens.revoke', { name }),
    keep: t('settings.tokens.keep'),
    destructive: true,
  });
}

function TokenTable({ tokens }: { tokens: readonly ApiToken[] }) {
  const { t } = useTranslation();
  const question = useRevokeQuestion();
  return (
    <Table
      caption={t('settings.tokens.title')}
      rows={tokens}
      rowKey={({ id }) => id}
      columns={[
        { key: 'name', label: t('settings.tokens.name'), cell: ({ name }) => name },
        {
          key: 'created',
          label: t('settings.tokens.created'),
          cell: ({ createdAtMs }) => <LocalTime ms={createdAtMs} />,
        },
        {
          key: 'used',
          label: t('settings.tokens.lastUsed'),
          cell: ({ lastUsedAtMs }) =>
            lastUsedAtMs === null ? t('settings.tokens.never') : <LocalTime ms={lastUsedAtMs} />,
        },
        {
          key: 'revoke',
          label: t('settings.tokens.act'),
          unnamed: true,
          cell: (token) => (
            <ConfirmDialog
              {...question(token)}
              page={`${page}/${token.id}/revoke`}
              opener={t('settings.tokens.act')}
              openerClass="btn btn--quiet btn--small"
              openerLabel={t('settings.tokens.revoke', { name: token.name })}
            />
          ),
        },
      ]}
    />
  );
}

/** An account's tokens, and the form for a new one. */
export function ApiTokens({ tokens, children }: { tokens: readonly ApiToken[]; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div id="tokens">
      <Sheet
        title={t('settings.tokens.title')}
        aside={<Link to="/api/docs">{t('settings.tokens.docs')}</Link>}
        rows
      >
        <div className="sheet__pad stack">
          <p className="muted">
            {t('settings.tokens.text')} <Link to="/device">{t('settings.tokens.device')}</Link>
          </p>
          {tokens.length === 0 && <p>{t('settings.tokens.none')}</p>}
        </div>
        {tokens.length > 0 && <TokenTable tokens={tokens} />}
        {children && <div className="sheet__pad">{children}</div>}
      </Sheet>
    </div>
  );
}
