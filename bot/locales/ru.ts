import type { ChatLines } from '#bot/locales/en.ts';
import type { ConditionKey, ConditionProgress } from '#domain/condition/conditions.ts';
import type { OpenRule } from '#domain/rule/list-open-rules.ts';
import type { Standing, ViewerProgress } from '#domain/view/list-standings.ts';
import type { Presence } from '#domain/watch-time/read-presences.ts';
import { isolated } from '#platform/isolated.ts';

/** `7 ч 12 мин` или `40 мин`; секунды отбрасываются. */
const duration = (seconds: number): string => {
  const minutes = Math.floor(seconds / 60);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  if (hours === 0) return `${rest} мин`;
  return rest === 0 ? `${hours} ч` : `${hours} ч ${rest} мин`;
};
const plural = new Intl.PluralRules('ru');
const counted = (count: number, one: string, few: string, many: string): string => {
  const form = plural.select(count);
  return `${count} ${form === 'one' ? one : form === 'few' ? few : many}`;
};
const days = (count: number) => counted(count, 'день', 'дня', 'дней');
/** После «из»: из 1 дня, из 2 дней. */
const ofDays = (count: number) => `${count} ${plural.select(count) === 'one' ? 'дня' : 'дней'}`;

/** После «на»: на 1 стриме, на 2 стримах. */
const atStreams = (count: number) => `${count} ${plural.select(count) === 'one' ? 'стриме' : 'стримах'}`;
/** После «из»: из 1 стрима, из 2 стримов. */
const ofStreams = (count: number) => `${count} ${plural.select(count) === 'one' ? 'стрима' : 'стримов'}`;

const number = new Intl.NumberFormat('ru');
/** «За 1 балл», «за 2 балла», «за 500 баллов». */
const points = (cost: number) => {
  const form = plural.select(cost);
  return `${number.format(cost)} ${form === 'one' ? 'балл' : form === 'few' ? 'балла' : 'баллов'} канала`;
};

const asks: Record<ConditionKey, (rule: OpenRule) => string | false> = {
  watch: ({ watchMinutes }) => watchMinutes !== null && `смотреть ${duration(watchMinutes * 60)}`,
  streams: ({ attendedStreams, ofLastStreams }) =>
    attendedStreams !== null &&
    `побывать на ${atStreams(attendedStreams)}${ofLastStreams === null ? '' : ` из ${ofLastStreams} подряд`}`,
  follow: ({ followDays }) => followDays !== null && `отслеживать канал ${days(followDays)}`,
  subscriber: ({ subscriberTier: tier }) =>
    tier !== null && `иметь платную подписку${tier === 1 ? '' : ` не ниже ${tier}-го уровня`}`,
  points: ({ pointsCost }) => pointsCost !== null && `обменять ${points(pointsCost)}`,
};

const amounts: Record<ConditionKey, (progress: ConditionProgress) => string | null> = {
  watch: ({ watch }) =>
    watch && `${duration(Math.min(watch.haveSeconds, watch.needSeconds))} из ${duration(watch.needSeconds)}`,
  streams: ({ streams: asked }) =>
    asked && `${Math.min(asked.haveStreams, asked.needStreams)} из ${ofStreams(asked.needStreams)}`,
  follow: ({ follow }) =>
    follow &&
    (follow.sinceMs === null
      ? `канал не отслеживается (нужно ${days(follow.needDays)})`
      : `отслеживание ${Math.min(follow.haveDays, follow.needDays)} из ${ofDays(follow.needDays)}`),
  subscriber: ({ subscriber }) =>
    subscriber &&
    (subscriber.met
      ? 'платная подписка есть'
      : `нет платной подписки${subscriber.needTier === 1 ? '' : ` не ниже ${subscriber.needTier}-го уровня`}`),
  points: ({ points: asked }) =>
    asked && (asked.met ? 'баллы обменяны' : `осталось обменять ${points(asked.cost)}`),
};

const conditions = (rule: OpenRule): string =>
  Object.values(asks)
    .map((words) => words(rule))
    .filter(Boolean)
    .join(' и ');

const reached = ({ progress }: ViewerProgress): string =>
  Object.values(amounts)
    .map((words) => words(progress))
    .filter(Boolean)
    .join(', ');

const standing: Record<Standing, (rule: ViewerProgress) => string> = {
  inProgress: reached,
  outOfRewards: (rule) => `${reached(rule)}; награды пока закончились`,
  waiting: () => 'выполнено! Вы в очереди на следующую свободную награду',
  readyToClaim: () => 'выполнено! Награду можно получить',
  awaitingConfirmation: () => 'предложение обмена готовится или уже ждёт вас в Steam',
  claimed: () => 'награда получена',
  timedOut: () => 'время вышло: награда не получена',
  recalled: () => 'награда отозвана',
};

const ago = (minutes: number) => (minutes === 0 ? 'только что' : `${minutes} мин назад`);

const inChatWords: Record<Presence['is'], string> = {
  counted: 'да',
  absent: 'пока нет',
  uncounted: 'да, но не засчитывается',
  unknown: 'неизвестно',
};

export const ru = {
  rewards: {
    rule: (rule) => `«${isolated(rule.name)}»: ${conditions(rule)} (осталось: ${rule.freeRewards})`,
    some: ({ list, url }) => `Здесь можно получить: ${list}. ${url}`,
    more: (count) => `и ещё ${count}`,
    none: () => 'Сейчас на этом канале нет наград.',
  },
  progress: {
    rule: (rule) => `«${isolated(rule.ruleName)}»: ${standing[rule.standing](rule)}`,
    some: ({ name, list }) => `@${name} ${list}`,
    more: (count) => `и ещё ${count}`,
    claim: (url) => `Получить: ${url}`,
    inChat: {
      counted: ({ minutes }) => `В чате: да, проверка ${ago(minutes)}.`,
      absent: ({ minutes }) =>
        `В чате: пока нет, проверка ${ago(minutes)}. Время идёт, пока вы в списке чата.`,
      uncounted: ({ url }) => `В чате: да, но время не засчитывается. Почему: ${url}`,
      unknown: ({ minutes }) => `В чате: неизвестно, проверка ${ago(minutes)}.`,
    },
    notLooked: 'В чате: неизвестно, на этой трансляции мы чат ещё не проверяли.',
    notLinked: ({ name, url }) =>
      `@${name} войдите через Twitch на ${url}, чтобы получать награды. Время просмотра уже засчитывается.`,
    notVerified: ({ name, url }) =>
      `@${name} подтвердите почту на ${url}, чтобы получать награды. Время просмотра уже засчитывается.`,
    ownRules: ({ name }) => `@${name} это ваши собственные награды.`,
    noRules: ({ name }) => `@${name} сейчас на этом канале нет наград.`,
  },
  claim: {
    ready: ({ name, count, url }) =>
      `@${name} ${count === 1 ? 'вас ждёт награда' : `вас ждут ${counted(count, 'награда', 'награды', 'наград')}`}. Получить: ${url}`,
    nothing: ({ name, url }) => `@${name} здесь пока нечего получать. Ваш прогресс: ${url}`,
  },
  watchTime: {
    watched: ({ name, seconds }) =>
      `@${name} время просмотра этого канала: ${duration(seconds)}. Оно идёт, пока вы в списке чата.`,
  },
  together: {
    progress: ({ name, rule, others, is }) =>
      `@${name} ${rule}${others > 0 ? `, и ещё ${others}` : ''}${is === null ? '' : ` (в чате: ${inChatWords[is]})`}`,
    claim: ({ name, count }) =>
      `@${name} ${count === 0 ? 'пока ничего' : `можно получить ${counted(count, 'награду', 'награды', 'наград')}`}`,
    watchTime: ({ name, seconds }) => `@${name} ${duration(seconds)}`,
    refusal: {
      notLinked: ({ name }) => `@${name} сначала войдите через Twitch`,
      notVerified: ({ name }) => `@${name} сначала подтвердите почту`,
      ownRules: ({ name }) => `@${name} это ваши собственные награды`,
      noRules: ({ name }) => `@${name} сейчас здесь нет наград`,
    },
    more: ({ count }) => `и ещё ${count}`,
    tails: {
      progress: ({ url }) => ` · Подробнее: ${url}`,
      claim: ({ url }) => ` · Получить: ${url}`,
      watchTime: ({ url }) => ` · Время идёт, пока вы в списке чата. Подробнее: ${url}`,
    },
  },
  promised: {
    line: ({ names, others, rule, url }) =>
      `Награду по правилу «${isolated(rule)}» ${names.includes(',') || others > 0 ? 'получают' : 'получает'} ${names}${others > 0 ? ` и ещё ${others}` : ''}. Получить: ${url}`,
  },
  raffle: {
    started: ({ keyword, item, winners, minutes, url, commitment }) =>
      `Розыгрыш: ${isolated(item)}${winners > 1 ? ` × ${winners}` : ''}. Напишите !${isolated(keyword)} в чате этого канала в течение ${minutes} мин, это бесплатно. ${url} Ключ: sha256 ${commitment}`,
    entered: ({ entries, hash, url }) =>
      `В розыгрыше ${counted(entries, 'участник', 'участника', 'участников')}, список ${hash}. ${url}`,
    sealed: ({ entries, listHash, commitment, url }) =>
      `Розыгрыш закрыт: ${counted(entries, 'участник', 'участника', 'участников')}. Список: ${listHash} Ключ: sha256 ${commitment} Жребий будет здесь: ${url}`,
    drawn: ({ names, url }) =>
      `Розыгрыш ${names.includes(',') ? 'выигрывают' : 'выигрывает'} ${names}. Получить: ${url}`,
    held: ({ names, hours, url }) =>
      `Розыгрыш ${names.includes(',') ? 'выигрывают' : 'выигрывает'} ${names}. Чтобы получить предмет, войдите через Twitch в течение ${hours} ч. ${url}`,
    nobody: () => 'В розыгрыше никто не участвовал. Ничего не выдано.',
    elsewhere: ({ keyword }) =>
      `В розыгрыше участвуют сообщения из чата этого канала: напишите !${isolated(keyword)} здесь.`,
    notReady: () => 'Списки, которые нужны для розыгрыша, ещё читаются. Попробуйте через несколько минут.',
    none: ({ url }) => `Розыгрыш не подготовлен. ${url}`,
    runs: ({ keyword, url }) => `Розыгрыш уже идёт: !${isolated(keyword)}. ${url}`,
    cancelled: () => 'Розыгрыш отменён. Ничего не выдано.',
    drawnAlready: ({ url }) => `Жребий уже брошен. ${url}`,
  },
} satisfies ChatLines;
