import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Check } from '#app/components/forms/choices.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { replyInvalid, replyRefused } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { type ChatCommand, chatCommands } from '#db/schema/channel.ts';
import { getChatCommands, setChatCommands, type WrittenCommands } from '#domain/channel/set-chat-commands.ts';
import { answeredElsewhere, defaultCommands, MAX_COMMAND_LENGTH } from '#domain/chat/chat-commands.ts';
import type { Route } from './+types/commands.ts';

const nameField = z.string().max(100, 'errors.command.name').default('');
/** An unchecked box is not sent. */
const onField = z.literal('on').optional();
const CommandsSchema = z.object({
  rewards: nameField,
  progress: nameField,
  watchTime: nameField,
  claim: nameField,
  rewards_on: onField,
  progress_on: onField,
  watchTime_on: onField,
  claim_on: onField,
});
type CommandFields = z.infer<typeof CommandsSchema>;

const commandErrors = {
  nameInvalid: 'errors.command.name',
  nameShared: 'errors.command.shared',
} as const;

export async function loader({ context }: Route.LoaderArgs) {
  const { twitch } = await requireVerifiedAccount(context);
  const settings = await getChatCommands((await database()).read, twitch?.id ?? '');
  const collisions = answeredElsewhere(settings);
  return {
    maxLength: MAX_COMMAND_LENGTH,
    commands: chatCommands.map((command) => ({
      command,
      ...settings[command],
      usual: defaultCommands[command].name,
      collides: collisions.includes(command),
    })),
  };
}

/** Switches the commands of the streamer's own chat on or off, and renames them. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(await request.formData(), { schema: CommandsSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { value } = submission;
  const written = Object.fromEntries(
    chatCommands.map((command) => [
      command,
      { name: value[command], isOn: value[`${command}_on` as const] === 'on' },
    ]),
  ) as WrittenCommands;
  const outcome = await setChatCommands(await database(), { userId, written }, await domainNow());
  if (outcome.ok) return redirectWithToast('/channel', { type: 'success', title: 'channel.saved' });
  if (!('commands' in outcome)) return replyRefused(submission, accountRefusals[outcome.code]);
  const key = commandErrors[outcome.code];
  const fieldErrors = Object.fromEntries(outcome.commands.map((command) => [command, [key]]));
  return replyInvalid(submission, fieldErrors);
}

type Command = Route.ComponentProps['loaderData']['commands'][number];

/** Words for the answer to each command. */
function useMeaning(): Record<ChatCommand, string> {
  const { t } = useTranslation();
  return {
    rewards: t('channel.commands.rewards'),
    progress: t('channel.commands.progress'),
    watchTime: t('channel.commands.watchTime'),
    claim: t('channel.commands.claim'),
  };
}

export default function Commands({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const meaning = useMeaning();
  const { commands, maxLength } = loaderData;
  const [form, fields] = useForm<CommandFields>({
    id: 'commands',
    lastResult: actionData?.result,
    defaultValue: Object.fromEntries(
      commands.flatMap(({ command, name, isOn }) => [
        [command, name],
        ...(isOn ? [[`${command}_on`, 'on']] : []),
      ]),
    ),
  });
  const hintOf = ({ collides, usual, name }: Command) => [
    ...(collides ? [t('channel.commands.collides', { name })] : []),
    ...(name === usual ? [] : [t('channel.commands.usual', { name: usual })]),
  ];
  return (
    <>
      <PageHead
        title={t('channel.commands.title')}
        lede={t('channel.commands.lede')}
        above={[{ to: '/channel', label: t('channel.title') }]}
      />
      <Sheet title={t('channel.commands.list')}>
        <Form className="stack" method="post" {...form.props}>
          <FormErrors id={form.errorId} errors={form.errors} />
          <p className="muted">{t('channel.commands.text', { count: maxLength })}</p>
          {commands.map((each) => (
            <fieldset className="stack stack-2" key={each.command}>
              <legend className="strong">{meaning[each.command]}</legend>
              <Field
                field={fields[each.command]}
                label={t('channel.commands.name')}
                hint={hintOf(each).join(' ') || undefined}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
              />
              <Check
                name={`${each.command}_on`}
                value="on"
                defaultChecked={fields[`${each.command}_on` as const].initialValue === 'on'}
              >
                {t('channel.commands.on')}
              </Check>
            </fieldset>
          ))}
          <div className="line">
            <SubmitButton>{t('channel.commands.save')}</SubmitButton>
          </div>
        </Form>
      </Sheet>
    </>
  );
}
