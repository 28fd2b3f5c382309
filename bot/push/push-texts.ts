import { moment } from '#bot/mail/letter.ts';
import type { PushEvent } from '#db/schema/push.ts';
import type { Locale } from '#db/schema/user.ts';
import type { PushFacts } from '#domain/view/prepare-push.ts';

interface PushText {
  title: string;
  body: string;
}
type PushTexts = Record<PushEvent, (values: { until: string }) => PushText>;

/** A lock screen shows these to whoever looks at it: no names of people, channels and items, and no security code. */
const texts: Record<Locale, PushTexts> = {
  en: {
    promised: ({ until }) => ({ title: 'A reward is yours to claim', body: `Claim it by ${until}.` }),
    reminder: ({ until }) => ({
      title: 'Last hours to claim your reward',
      body: `Claim it by ${until}.`,
    }),
    offerSent: () => ({
      title: 'Your trade offer is on Steam',
      body: 'Compare its code here before you accept it there.',
    }),
    delivered: () => ({ title: 'Your reward has arrived', body: 'It is in your Steam inventory.' }),
  },
  ru: {
    promised: ({ until }) => ({ title: 'Вас ждёт награда', body: `Срок: ${until}.` }),
    reminder: ({ until }) => ({
      title: 'Последние часы, чтобы получить награду',
      body: `Срок: ${until}.`,
    }),
    offerSent: () => ({
      title: 'Предложение обмена уже в Steam',
      body: 'Сверьте код здесь, прежде чем принять его там.',
    }),
    delivered: () => ({ title: 'Награда доставлена', body: 'Предмет в вашем инвентаре Steam.' }),
  },
};

const pathOf: Record<PushEvent, (facts: PushFacts) => string> = {
  promised: ({ rewardId }) => `/rewards/${rewardId}/claim`,
  reminder: ({ rewardId }) => `/rewards/${rewardId}/claim`,
  offerSent: ({ subjectId }) => `/transfers?open=${subjectId}`,
  delivered: () => '/rewardHistory',
};

/** The topic and tag of a reward: what is said of it later takes the place of what was said before. */
export const topicOf = ({ rewardId }: Pick<PushFacts, 'rewardId'>): string =>
  rewardId.replaceAll('-', '').slice(0, 32);

/**
 * The payload in the form of Declarative Web Push (https://webkit.org/blog/16535), which Safari shows by itself; the
 * service worker shows the same elsewhere.
 */
export function payloadOf(facts: PushFacts, publicUrl: URL): string {
  const { event, locale, timeZone, untilMs } = facts;
  const until = untilMs === null ? '' : moment(String(untilMs), locale, timeZone ?? undefined);
  const { title, body } = texts[locale][event]({ until });
  const navigate = new URL(pathOf[event](facts), publicUrl).href;
  const notification = { title, body, lang: locale, dir: 'ltr', navigate, tag: topicOf(facts) };
  return JSON.stringify({ web_push: 8030, notification });
}
