import { Code } from '#app/components/feedback/code.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The commands that make the bot's accounts moderators, to copy into the chat. */
export const ModeratorCommands = ({ speakers }: { speakers: readonly string[] }) =>
  speakers.map((login) => <Code key={login}>{`/mod ${login}`}</Code>);

/** Asks the streamer to make the bot's accounts moderators of the chat. */
export function ModeratorRole({ speakers }: { speakers: readonly string[] }) {
  const { t } = useTranslation();
  if (speakers.length === 0) return null;
  return (
    <div className="stack stack-2">
      <p className="s13 muted">{t('announce.moderator')}</p>
      <ModeratorCommands speakers={speakers} />
    </div>
  );
}
