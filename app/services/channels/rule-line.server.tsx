import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { useWords } from '#app/components/text/words.ts';
import { inWords } from '#app/services/share/in-words.server.tsx';
import type { Database } from '#db/database.ts';
import { getChannelLocale } from '#domain/channel/get-channel-locale.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import type { ListedRule } from '#domain/rule/list-rules.ts';
import { cutText } from '#platform/cut-text.ts';

/** Chat lines are cut there by Twitch and by the bot. */
const MAX_LINE_LENGTH = 450;

const MAX_ASKS_LENGTH = 150;

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${cutText(text, length - 1)}…`;

/**
 * The line that tells a chat about an open rule, in the language of that chat: what to do, what for, and where.
 *
 * @param url null if the rule has no public page
 */
export async function ruleLine(db: Database, rule: ListedRule, url: string | null): Promise<string> {
  const [language, kinds] = await Promise.all([
    getChannelLocale(db.read, rule.channelId),
    listFreeKinds(db, [rule.channelId]),
  ]);
  const item = kinds.find(({ ruleId }) => ruleId === rule.id)?.name ?? rule.name;
  const others = rule.pool.free - 1;
  return inWords(language, () => {
    const { t } = useWords();
    const asks = cut(
      useConditionLines(rule)
        .map(({ text }) => text)
        .join(' + '),
      MAX_ASKS_LENGTH,
    );
    const what = others > 0 ? t('announce.orOthers', { item, count: others }) : item;
    const line = (words: string) =>
      url === null
        ? t('announce.lineWithoutLink', { asks, what: words })
        : t('announce.line', { asks, what: words, url });
    return line(cut(what, MAX_LINE_LENGTH - line('').length)).replaceAll(/\s+/g, ' ');
  });
}
