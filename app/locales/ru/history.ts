import type { history as english } from '../en/history.ts';
import type { Russian } from '../russian.ts';

export const history = {
  title: 'История наград',
  lede: 'Полученные и завершённые награды – и чем закончилась каждая.',
  item: 'Предмет',
  channel: 'Канал',
  rule: 'Правило',
  promised: 'Обещано',
  statusLabel: 'Статус',
  everyStatus: 'Любой статус',
  channelName: 'Название канала',
  status: {
    delivered: 'Доставлено',
    final: 'Окончательно',
    timedOut: 'Время вышло',
    reversed: 'Обмен отменён',
    depositReversed: 'Предмет вернулся к стримеру',
    stopped: 'Остановлено стримером',
    recalled: 'Отозвано',
  },
  dated: {
    delivered: 'Доставлено, окончательно {{date}}',
    final: 'Окончательно с {{date}}',
    timedOut: 'Время вышло {{date}}',
  },
  emptyTitle: 'Пока нет полученных наград',
  empty: 'Награды появятся здесь, когда вы их получите или когда выйдет их время.',
  emptyAct: 'Обзор каналов',
  noMatchTitle: 'Нет наград по этим фильтрам',
  noMatch: 'Измените даты или статус либо сбросьте фильтры.',
  noMatchYet: 'Среди последних обещаний ничего нет. На следующей странице – более ранние.',
} satisfies Russian<typeof english>;
