import { data, Form, redirect } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Choice } from '#app/components/forms/choices.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { freezePage, requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { confirmedContext } from '#app/middleware/session.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { freezeRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { endFreeze } from '#domain/freeze/end-freeze.ts';
import { type FreezeChoice, freezeChoices } from '#domain/freeze/freeze-choice.ts';
import { type FrozenRule, listFrozenRules } from '#domain/freeze/list-frozen-rules.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { isolated } from '#platform/isolated.ts';
import type { Route } from './+types/freeze.ts';

/**
 * Lists everything frozen since the owner said that somebody else used the account. They prove first who they
 * are.
 */
export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const { read } = await database();
  const freeze = await findFreeze(read, { userId });
  if (!freeze) throw redirect('/settings');
  requireConfirmed(context, freezePage);
  return { ...freeze, rules: await listFrozenRules(read, { userId }) };
}

const choicesIn = (form: FormData): Record<string, FreezeChoice> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const choice = freezeChoices.find((each) => each === value);
      return name.startsWith('rule:') && choice ? [[name.slice('rule:'.length), choice]] : [];
    }),
  );

export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const choices = choicesIn(await request.formData());
  const asked = { userId, choices, unconfirmed: !context.get(confirmedContext) };
  const outcome = await endFreeze(await database(), asked, await domainNow());
  if (!outcome.ok) {
    if (outcome.code === 'identityUnconfirmed') requireConfirmed(context, freezePage);
    const { status, key } = freezeRefusals[outcome.code];
    return data({ error: key }, { status });
  }
  nudgeBot();
  return redirectWithToast('/dashboard', {
    type: 'success',
    title: 'settings.freeze.done',
    body: 'settings.freeze.doneText',
  });
}

function RuleChoice({ rule }: { rule: FrozenRule }) {
  const { t } = useTranslation();
  const { free, promised, reserved } = rule.rewards;
  return (
    <fieldset className="stack stack-3">
      <legend className="strong">
        <Link to={`/rules/${rule.id}`}>{rule.name}</Link>
      </legend>
      <p className="s13 muted">
        {isolated(rule.channelName)} · {t('settings.freeze.opened')} <LocalTime ms={rule.createdAtMs} /> ·{' '}
        {t('settings.freeze.rewards', { free, promised, reserved })}
      </p>
      {freezeChoices.map((choice) => (
        <Choice
          key={choice}
          name={`rule:${rule.id}`}
          value={choice}
          required
          title={t(`settings.freeze.choice.${choice}.title`)}
        >
          {t(`settings.freeze.choice.${choice}.text`)}
        </Choice>
      ))}
    </fieldset>
  );
}

export default function Freeze({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { rules, frozenAtMs, actAtMs } = loaderData;
  return (
    <>
      <PageHead
        title={t('settings.freeze.title')}
        lede={t('settings.freeze.lede')}
        above={[{ to: '/settings', label: t('settings.title') }]}
      />
      <div className="stack">
        <Callout type="warning" title={t('settings.freeze.first')}>
          <p>
            <Link to="/profile/password">{t('settings.freeze.password')}</Link>
          </p>
        </Callout>
        <Sheet title={t('settings.freeze.what')}>
          <p className="muted">
            {t('settings.freeze.since')} <LocalTime ms={frozenAtMs} />. {t('settings.freeze.from')}{' '}
            <LocalTime ms={actAtMs} />.
          </p>
          <Form className="stack" method="post">
            {actionData?.error && (
              <Callout type="danger">
                <p>
                  <ErrorText error={actionData.error} />
                </p>
              </Callout>
            )}
            {rules.length === 0 && <p>{t('settings.freeze.noRules')}</p>}
            {rules.map((rule) => (
              <RuleChoice key={rule.id} rule={rule} />
            ))}
            <div className="line">
              <SubmitButton>{t('settings.freeze.act')}</SubmitButton>
            </div>
          </Form>
        </Sheet>
      </div>
    </>
  );
}
