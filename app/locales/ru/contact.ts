import type { contact as english } from '../en/contact.ts';
import type { Russian } from '../russian.ts';

export const contact = {
  title: 'Обратная связь',
  lede: 'Вопрос, ошибка или что-то подозрительное: напишите тем, кто ведёт этот сайт.',
  name: 'Ваше имя',
  email: 'Ваш e-mail',
  emailHint: 'Ответ придёт на этот адрес.',
  message: 'Сообщение',
  messageHint: 'Если речь о передаче, укажите её код безопасности. Никогда не отправляйте пароли.',
  submit: 'Отправить сообщение',
  faq: 'Многие ответы есть в разделе <faq>«Вопросы и ответы»</faq>.',
} satisfies Russian<typeof english>;
