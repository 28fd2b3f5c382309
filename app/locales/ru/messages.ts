import type { messages as english } from '../en/messages.ts';
import type { Russian } from '../russian.ts';

export const messages = {
  messageSent: 'Сообщение отправлено!',
  registered: 'Регистрация завершена',
  passwordUpdated: 'Пароль обновлён',
  tradeLinkUpdated: 'Ссылка на обмен обновлена',
  ruleCreated: 'Правило создано',
  ruleDeleted: 'Правило удалено',
  rewardsAdded: 'Награды добавлены в правило',
  rewardsRemoved: 'Награды убраны из правила',
  subscriptionCancelled: 'Подписка отменена',
  verificationSent: 'Письмо для подтверждения отправлено',
  offerSent: 'Предложение обмена отправлено',
  offerSentBody: '№ {{offerId}} придёт через пару минут.',
} satisfies Russian<typeof english>;
