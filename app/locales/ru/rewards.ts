import type { rewards as english } from '../en/rewards.ts';
import type { Russian } from '../russian.ts';

export const rewards = {
  state: {
    free: 'Свободно',
    promised: 'Обещано',
    reserved: 'Предложение отправлено',
    claimed: 'Доставлено',
    recalled: 'Отозвано',
  },
  pool: {
    free_one: '{{count}} свободен',
    free_few: '{{count}} свободно',
    free_many: '{{count}} свободно',
    free_other: '{{count}} свободно',
    promised_one: '{{count}} обещан',
    promised_few: '{{count}} обещано',
    promised_many: '{{count}} обещано',
    promised_other: '{{count}} обещано',
    reserved_one: 'предложений отправлено: {{count}}',
    reserved_few: 'предложений отправлено: {{count}}',
    reserved_many: 'предложений отправлено: {{count}}',
    reserved_other: 'предложений отправлено: {{count}}',
    claimed_one: '{{count}} доставлен',
    claimed_few: '{{count}} доставлено',
    claimed_many: '{{count}} доставлено',
    claimed_other: '{{count}} доставлено',
    recalled_one: '{{count}} отозван',
    recalled_few: '{{count}} отозвано',
    recalled_many: '{{count}} отозвано',
    recalled_other: '{{count}} отозвано',
    empty: 'Наград нет',
  },
} satisfies Russian<typeof english>;
