import type { billing as english } from '../en/billing.ts';
import type { Russian } from '../russian.ts';

export const billing = {
  title: 'Тариф и оплата',
  lede: 'Что вам здесь доступно и сколько из этого уже использовано.',
  free: 'Здесь всё бесплатно',
  freeText:
    'Владелец сервера не берёт денег: тариф выбирать не нужно, карта не понадобится, отменять нечего. Ограничения нужны только на случай сбоев.',
  badge: 'Бесплатно',
  usage: 'Использовано',
  streamer: 'Как стример',
  viewer: 'Как зритель',
  rules: 'Правила',
  rulesNote: 'Открытые и приостановленные. Удалённое правило освобождает место.',
  rewards: 'Награды за месяц',
  claims: 'Получено наград за месяц',
  claimsNote: 'Награды, которые не удалось доставить, не считаются.',
  resets: 'Обнулится {{date}}',
  of: 'из {{limit}}',
  unlimited: 'без ограничений',
  full: 'Лимит исчерпан.',
  otherChannels: 'Правила на чужих каналах',
  included: 'Доступны',
  notIncluded: 'Недоступны',
  unavailable: 'Данные об использовании недоступны',
} satisfies Russian<typeof english>;
