import type { transfers as english } from '../en/transfers.ts';
import type { Russian } from '../russian.ts';

export const transfers = {
  compare: 'Сверьте код',
  compareText: 'Тот же код указан в сообщении к предложению обмена. Если он другой, отклоните предложение.',
  botRole: 'Наш бот в Steam',
  steamId: 'SteamID',
  memberSince: 'В Steam с',
  offerId: 'Предложение обмена',
  openOffer: 'Открыть предложение в Steam',
  neverAsks:
    'При получении награды мы не просим ваших предметов. Предложение только отдаёт и ничего не берёт.',
} satisfies Russian<typeof english>;
