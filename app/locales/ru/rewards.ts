import type { rewards as english } from '../en/rewards.ts';
import type { Russian } from '../russian.ts';

export const rewards = {
  state: {
    free: 'Свободно',
    promised: 'Обещано',
    reserved: 'Отправляется',
    claimed: 'Получено',
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
    reserved_one: '{{count}} отправляется',
    reserved_few: '{{count}} отправляются',
    reserved_many: '{{count}} отправляются',
    reserved_other: '{{count}} отправляются',
    claimed_one: '{{count}} получен',
    claimed_few: '{{count}} получено',
    claimed_many: '{{count}} получено',
    claimed_other: '{{count}} получено',
    recalled_one: '{{count}} отозван',
    recalled_few: '{{count}} отозвано',
    recalled_many: '{{count}} отозвано',
    recalled_other: '{{count}} отозвано',
    empty: 'Наград нет',
  },
} satisfies Russian<typeof english>;
