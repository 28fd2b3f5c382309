import { Form } from 'react-router';
import { FreezeNotice } from '#app/components/feedback/freeze-notice.tsx';
import { Button, ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Check, Segmented } from '#app/components/forms/choices.tsx';
import { Download } from '#app/components/icons/signs.ts';
import { Link } from '#app/components/shell/link.tsx';
import { themes, useDocument } from '#app/components/shell/page-context.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { languageNames, languages } from '#app/locales/languages.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { tokenConstraint } from '#app/routes/settings/api-token-form.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import type { Database } from '#db/database.ts';
import { listApiTokens } from '#domain/identity/access/list-api-tokens.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { getSendDelay, sendDelays } from '#domain/identity/send-delay.ts';
import { browserName } from '#domain/identity/session/browser-name.ts';
import { listSessions } from '#domain/identity/session/list-sessions.ts';
import { listPushDevices } from '#domain/push/push-devices.ts';
import { findPublicPushKey } from '#domain/push/push-keys.ts';
import type { Route } from './+types/settings.ts';
import { ApiTokenForm, ApiTokens } from './api-tokens.tsx';
import { PublicName } from './public-name-sheet.tsx';
import { listPushChoices } from './push-choices.server.ts';
import { PushSheet } from './push-sheet.tsx';
import { SendDelay } from './send-delay-sheet.tsx';
import { Sessions } from './sessions.tsx';
import { listWantedMails, type WantedMail } from './wanted-mails.server.ts';

export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const { id: userId, hidesName, isFrozen } = account;
  const db = await database();
  const currentToken = await sessionToken(request);
  const nowMs = await domainNow();
  const sessions = await listSessions(db, { userId, currentToken }, nowMs);
  return {
    mails: await listWantedMails(db, account, nowMs),
    push: {
      serverKey: await findPublicPushKey(db.read),
      devices: await shownDevices(db, userId, currentToken),
      choices: await listPushChoices(db, { userId }, nowMs),
    },
    hidesName,
    sendDelay: await getSendDelay(db.read, userId, nowMs),
    delays: sendDelays,
    isFrozen,
    sessions: sessions.map(({ userAgent, ...session }) => ({ ...session, ...browserName(userAgent) })),
    tokens: await listApiTokens(db, { userId }),
    constraint: tokenConstraint,
  };
}

async function shownDevices(db: Database, userId: string, token: string | null) {
  const sessionHash = token === null ? null : hashOf(token);
  const devices = await listPushDevices(db.read, { userId, sessionHash });
  return devices.map(({ id, events, lastSentAtMs, endedAtMs, isHere, userAgent }) => ({
    ...{ id, events, lastSentAtMs, endedAtMs, isHere },
    ...browserName(userAgent),
  }));
}

/**
 * Language and theme reload the document: the browser holds one language only, and the theme is set on the document.
 */
function Appearance() {
  const { t, language } = useTranslation();
  const { theme } = useDocument();
  const back = (
    <>
      <input type="hidden" name="to" value="/settings" />
      <input type="hidden" name="saved" value="1" />
    </>
  );
  return (
    <>
      <Sheet title={t('settings.language.title')}>
        <p className="muted">{t('settings.language.text')}</p>
        <Form className="line" method="post" action="/language" reloadDocument>
          {back}
          <Segmented
            legend={t('settings.language.title')}
            name="language"
            value={language}
            segments={languages.map((value) => ({ value, label: languageNames[value] }))}
          />
          <Button>{t('settings.language.save')}</Button>
        </Form>
      </Sheet>
      <Sheet title={t('settings.theme.title')}>
        <p className="muted">{t('settings.theme.text')}</p>
        <Form className="line" method="post" action="/theme" reloadDocument>
          {back}
          <Segmented
            legend={t('settings.theme.title')}
            name="theme"
            value={theme}
            segments={themes.map((value) => ({ value, label: t(`shell.theme.${value}`) }))}
          />
          <Button>{t('settings.theme.save')}</Button>
        </Form>
      </Sheet>
    </>
  );
}

function Notifications({ mails }: { mails: WantedMail[] }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('settings.notifications.title')}>
      <Form className="stack" method="post" action="/settings/notifications">
        <fieldset>
          <legend>{t('settings.notifications.label')}</legend>
          {mails.map(({ kind, wanted, needsPlan }) => (
            <Check
              key={kind}
              name="mail"
              value={kind}
              defaultChecked={wanted && !needsPlan}
              disabled={needsPlan}
              aria-describedby={needsPlan ? 'mail-needs-plan' : undefined}
            >
              {t(`settings.notifications.kind.${kind}`)}
            </Check>
          ))}
        </fieldset>
        {mails.some(({ needsPlan }) => needsPlan) && (
          <p id="mail-needs-plan" className="muted">
            {t('settings.notifications.needsPlan')}{' '}
            <Link to="/billing">{t('settings.notifications.plans')}</Link>
          </p>
        )}
        <p className="muted">{t('settings.notifications.text')}</p>
        <div className="line">
          <SubmitButton kind="secondary" formAction="/settings/notifications">
            {t('settings.notifications.save')}
          </SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}

function OwnData() {
  const { t } = useTranslation();
  return (
    <>
      <Sheet title={t('settings.export.title')}>
        <p className="muted">{t('settings.export.text')}</p>
        <div className="line">
          <ButtonLink to="/settings/export" reloadDocument icon={Download}>
            {t('settings.export.act')}
          </ButtonLink>
        </div>
      </Sheet>
      <Sheet title={t('settings.delete.title')}>
        <p className="muted">{t('settings.delete.text')}</p>
        <div className="line">
          <ButtonLink kind="danger" to="/settings/delete">
            {t('settings.delete.act')}
          </ButtonLink>
        </div>
      </Sheet>
    </>
  );
}

export default function Settings({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { mails, push, hidesName, sendDelay, delays, sessions, tokens, constraint } = loaderData;
  return (
    <>
      <PageHead title={t('settings.title')} />
      <div className="stack">
        {loaderData.isFrozen && <FreezeNotice />}
        <Appearance />
        <Notifications mails={mails} />
        <PushSheet {...push} />
        <PublicName hidesName={hidesName} />
        <SendDelay setting={sendDelay} delays={delays} />
        <Sheet title={t('channel.title')}>
          <p className="muted">{t('channel.text')}</p>
          <div className="line">
            <ButtonLink to="/channel">{t('channel.act')}</ButtonLink>
          </div>
        </Sheet>
        <Sessions sessions={sessions} />
        <ApiTokens tokens={tokens}>
          <ApiTokenForm constraint={constraint} />
        </ApiTokens>
        <OwnData />
      </div>
    </>
  );
}
