import type { Setup } from './protocol.ts';

export interface Words {
  viewer: string;
  earned: string;
  drawn: string;
  delivered: string;
  next: string;
  test: string;
  more: (count: number) => string;
  toGo: (minutes: number) => string;
  of: (have: number, need: number) => string;
  closest: (name: string) => string;
  raffle: string;
  raffleClosed: string;
  raffleDrawn: string;
  /** The words before and behind the one that viewers type. */
  enter: readonly [string, string];
  entries: string;
  closesIn: string;
  left: (free: number, all: number) => string;
  seconds: (seconds: number) => string;
  minutes: (minutes: number) => string;
  listUpTo: (entries: number) => string;
  noWinner: string;
}

const spaced = (...parts: (string | false)[]) => parts.filter(Boolean).join(' ');
const time = (minutes: number, hour: string, minute: string): string => {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return spaced(hours > 0 && `${hours} ${hour}`, (rest > 0 || hours === 0) && `${rest} ${minute}`);
};
const en = (minutes: number) => time(minutes, 'h', 'min');
const ru = (minutes: number) => time(minutes, 'ч', 'мин');

/** The words on stream. They are here and not among the texts of pages, so that an overlay stays small. */
export const words: Record<Setup['locale'], Words> = {
  en: {
    viewer: 'A viewer',
    earned: 'Reward earned',
    drawn: 'Drawn',
    delivered: 'Delivered on Steam',
    next: 'Next in line',
    test: 'Test, nobody won',
    more: (count) => `and ${count} more`,
    left: (free, all) => `${free} of ${all} left`,
    toGo: (minutes) => `${en(minutes)} to go`,
    of: (have, need) => `${en(have)} of ${en(need)}`,
    closest: (name) => `${name} is closest`,
    raffle: 'Raffle',
    raffleClosed: 'Entries closed, the draw follows',
    raffleDrawn: 'Raffle drawn',
    enter: ['Type', 'in chat. Free to enter.'],
    entries: 'Entries',
    closesIn: 'Closes in',
    seconds: (seconds) => `${seconds} s`,
    minutes: en,
    listUpTo: (entries) => `List up to entry ${entries}`,
    noWinner: 'Nobody won',
  },
  ru: {
    viewer: 'Зритель',
    earned: 'Награда получена',
    drawn: 'Розыгрыш',
    delivered: 'Доставлено в Steam',
    next: 'Ближе всех к награде',
    test: 'Проверка, никто не выиграл',
    more: (count) => `и ещё ${count}`,
    left: (free, all) => `осталось ${free} из ${all}`,
    toGo: (minutes) => `ещё ${ru(minutes)}`,
    of: (have, need) => `${ru(have)} из ${ru(need)}`,
    closest: (name) => `Ближе всех: ${name}`,
    raffle: 'Розыгрыш',
    raffleClosed: 'Приём закрыт, сейчас будет жребий',
    raffleDrawn: 'Розыгрыш завершён',
    enter: ['Напишите', 'в чат. Участие бесплатное.'],
    entries: 'Участники',
    closesIn: 'Осталось',
    seconds: (seconds) => `${seconds} с`,
    minutes: ru,
    listUpTo: (entries) => `Список до записи ${entries}`,
    noWinner: 'Никто не выиграл',
  },
};
