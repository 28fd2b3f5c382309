import { data, redirect } from 'react-router';
import { z } from 'zod';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { locales } from '#db/schema/user.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import type { Route } from './+types/chat.ts';

/** `own`: the broadcaster's own language. An unchecked box is not sent. */
const ChatSchema = z.object({
  locale: z.enum(['own', ...locales]),
  announces: z.literal('on').optional(),
});

export const loader = () => redirect('/channel');

/** Sets the language of chat answers, and whether promises are announced there. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = ChatSchema.safeParse(Object.fromEntries(await request.formData()));
  if (!form.success) throw data(null, { status: 400 });
  const { locale, announces } = form.data;
  const settings = { chatLocale: locale === 'own' ? null : locale, announcesPromises: announces === 'on' };
  const outcome = await setChatSettings(await database(), { userId, settings }, await domainNow());
  return redirectWithToast(
    '/channel',
    outcome.ok
      ? { type: 'success', title: 'channel.saved' }
      : { type: 'danger', title: 'errors.account.twitchNotLinked' },
  );
}
