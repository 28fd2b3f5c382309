import type { ChatLines } from '#bot/locales/en.ts';
import type { RaffleNews } from '#db/schema/twitch.ts';
import { minute } from '#domain/kernel/time.ts';

/** As many digits of a hash tell two lists apart at a glance; the page has all of them. */
const GLANCE = 12;

/** Words news of a raffle for its chat. */
export function raffleLine(
  lines: ChatLines['raffle'],
  news: RaffleNews,
  { origin, nowMs }: { origin: string; nowMs: number },
): string {
  const url = `${origin}/raffle/${news.raffleId}`;
  switch (news.kind) {
    case 'started':
      return lines.started({
        ...news,
        minutes: Math.max(1, Math.round((news.endsAtMs - nowMs) / minute)),
        url,
      });
    case 'entered':
      return lines.entered({ entries: news.entries, hash: news.listHash.slice(0, GLANCE), url });
    case 'sealed':
      return lines.sealed(news);
    case 'drawn':
      return drawnLine(lines, news, { origin, url });
    case 'nobody':
      return lines.nobody();
    case 'elsewhere':
      return lines.elsewhere(news);
  }
}

function drawnLine(
  lines: ChatLines['raffle'],
  { names, withoutAccount, hours }: Extract<RaffleNews, { kind: 'drawn' }>,
  { origin, url }: { origin: string; url: string },
): string {
  const called = (given: readonly string[]) => given.map((name) => `@${name}`).join(', ');
  return [
    ...(names.length > 0 ? [lines.drawn({ names: called(names), url: `${origin}/rewardProgress` })] : []),
    ...(withoutAccount.length > 0 ? [lines.held({ names: called(withoutAccount), hours, url })] : []),
  ].join(' · ');
}
