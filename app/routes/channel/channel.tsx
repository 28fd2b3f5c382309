import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { Callout } from '#app/components/feedback/callout.tsx';
import { StreamCheckText } from '#app/components/feedback/stream-check.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Check, Segmented } from '#app/components/forms/choices.tsx';
import { FormErrors, TextField } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { Radio } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { languageNames } from '#app/locales/languages.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { exclusionRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { type ChatCommand, chatCommands } from '#db/schema/channel.ts';
import { listChatLogins } from '#domain/account/twitch/list-chat-logins.ts';
import { isChannelHidden } from '#domain/channel/channel-visibility.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { listExcluded } from '#domain/channel/list-excluded.ts';
import { setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { answeredElsewhere } from '#domain/chat/chat-commands.ts';
import { getStreamCheck } from '#domain/watch-time/get-stream-check.ts';
import type { Route } from './+types/channel.ts';
import { ModeratorCommands } from './moderator-role.tsx';
import { PublicPageSheet } from './public-page-sheet.tsx';

/** Logins, separated by lines or commas. */
const ExcludedSchema = z.object({ logins: z.string().max(10_000).default('') });

export async function loader({ context }: Route.LoaderArgs) {
  const { twitch } = await requireVerifiedAccount(context);
  if (!twitch) return { channel: null };
  const db = await database();
  const [chat, hidden, excluded, speakers, check] = await Promise.all([
    getChatSettings(db.read, twitch.id),
    isChannelHidden(db.read, twitch.id),
    listExcluded(db.read, twitch.id),
    listChatLogins(db.read),
    getStreamCheck(db, twitch.id, await domainNow()),
  ]);
  const names = {
    name: twitch.displayName,
    login: twitch.login,
    hidden,
    excluded: excluded.map(({ login }) => login),
    speakers,
  };
  if (!chat) return { channel: null };
  const { commands, ...settings } = chat;
  const nameOf = (command: ChatCommand) => commands[command].name;
  return {
    channel: {
      ...settings,
      ...names,
      check,
      commands: chatCommands.filter((command) => commands[command].isOn).map(nameOf),
      collisions: answeredElsewhere(commands).map(nameOf),
    },
  };
}

/** Replaces the list of viewers who earn no watch time on the streamer's own channel. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(await request.formData(), { schema: ExcludedSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const logins = submission.value.logins.split(/[\s,]+/).filter(Boolean);
  const outcome = await setExcludedLogins(await database(), { userId, logins });
  if (!outcome.ok) return replyRefused(submission, exclusionRefusals[outcome.code], 'logins');
  return redirectWithToast('/channel', { type: 'success', title: 'channel.saved' });
}

type Channel = NonNullable<Route.ComponentProps['loaderData']['channel']>;

function ChatSheet({ channel }: { channel: Channel }) {
  const { t } = useTranslation();
  const segments = (['own', 'en', 'ru'] as const).map((value) => ({
    value,
    label: value === 'own' ? t('channel.chat.own') : languageNames[value],
  }));
  return (
    <Sheet title={t('channel.chat.title')}>
      <Form className="stack" method="post" action="/channel/chat">
        <p className="muted">
          {channel.commands.length === 0
            ? t('channel.chat.noCommands')
            : t('channel.chat.text', { commands: channel.commands.map((name) => `!${name}`).join(', ') })}
        </p>
        {channel.collisions.length > 0 && (
          <p className="muted">
            {t('channel.chat.collides', {
              commands: channel.collisions.map((name) => `!${name}`).join(', '),
            })}
          </p>
        )}
        <p className="muted">
          {channel.speakers.length === 0
            ? t('channel.chat.silent')
            : t('channel.chat.speaks', { names: channel.speakers.join(', ') })}
        </p>
        <ModeratorCommands speakers={channel.speakers} />
        {channel.chatFault && (
          <Callout type="warning" title={t('channel.chat.faultTitle')}>
            <p>{t(`channel.chat.fault.${channel.chatFault}`)}</p>
            {(channel.chatFault === 'notAllowed' || channel.chatFault === 'shared') && (
              <ButtonLink to="/auth/twitch?permissions=bot&from=channel" reloadDocument>
                {t('channel.chat.allow')}
              </ButtonLink>
            )}
          </Callout>
        )}
        <div className="stack stack-2">
          <div className="field__label" aria-hidden="true">
            {t('channel.chat.language')}
          </div>
          <Segmented
            legend={t('channel.chat.language')}
            name="locale"
            value={channel.chatLocale ?? 'own'}
            segments={segments}
          />
        </div>
        <Check name="announces" value="on" defaultChecked={channel.announcesPromises}>
          {t('channel.chat.announces')}
        </Check>
        <div className="line">
          <SubmitButton kind="secondary" formAction="/channel/chat">
            {t('channel.chat.save')}
          </SubmitButton>
          <ButtonLink kind="quiet" to="/channel/commands">
            {t('channel.commands.act')}
          </ButtonLink>
        </div>
      </Form>
    </Sheet>
  );
}

function ExcludedSheet({
  channel,
  actionData,
}: { channel: Channel } & Pick<Route.ComponentProps, 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ logins: string }>({
    id: 'excluded',
    lastResult: actionData?.result,
    defaultValue: { logins: channel.excluded.join('\n') },
  });
  return (
    <Sheet title={t('channel.excluded.title')}>
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <TextField
          field={fields.logins}
          label={t('channel.excluded.label')}
          hint={t('channel.excluded.hint')}
          rows={5}
          autoCapitalize="none"
          spellCheck={false}
        />
        <div className="line">
          <SubmitButton kind="secondary">{t('channel.excluded.save')}</SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}

export default function ChannelPage({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { channel } = loaderData;
  return (
    <>
      <PageHead
        title={t('channel.title')}
        lede={channel ? t('channel.lede', { channel: channel.name }) : undefined}
        above={[{ to: '/rules', label: t('rules.title') }]}
      />
      {channel ? (
        <div className="stack">
          <Sheet title={t('channel.check.title')}>
            {channel.check ? (
              <>
                <p>
                  {t(channel.check.live ? 'channel.check.now' : 'channel.check.last', {
                    time: time(channel.check.lookedAtMs, 'deadline'),
                  })}{' '}
                  <StreamCheckText check={channel.check} />
                </p>
                <p className="s13 muted">{t('channel.check.why')}</p>
              </>
            ) : (
              <p className="muted">{t('channel.check.none')}</p>
            )}
          </Sheet>
          <ChatSheet channel={channel} />
          <PublicPageSheet channel={channel} />
          <ExcludedSheet channel={channel} actionData={actionData} />
          <Sheet title={t('channel.overlay.title')}>
            <p className="muted">{t('channel.overlay.text')}</p>
            <div className="line">
              <ButtonLink to="/channel/overlay">{t('channel.overlay.act')}</ButtonLink>
            </div>
          </Sheet>
          <Sheet title={t('channel.raffles.title')}>
            <p className="muted">{t('channel.raffles.text')}</p>
            <div className="line">
              <ButtonLink to="/raffles">{t('channel.raffles.act')}</ButtonLink>
            </div>
          </Sheet>
          <Sheet title={t('channel.guests.title')}>
            <p className="muted">{t('channel.guests.text')}</p>
            <div className="line">
              <ButtonLink to="/channel/guests">{t('channel.guests.act')}</ButtonLink>
            </div>
          </Sheet>
        </div>
      ) : (
        <EmptyState
          icon={Radio}
          title={t('channel.noTwitchTitle')}
          action={<ButtonLink to="/profile">{t('shell.toProfile')}</ButtonLink>}
        >
          {t('channel.noTwitch')}
        </EmptyState>
      )}
    </>
  );
}
