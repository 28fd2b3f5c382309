import { redirect } from 'react-router';
import { z } from 'zod';
import type { Toast } from '#app/components/feedback/toasts.tsx';
import { ownCookie, ownCookieName } from '#app/http/own-cookie.server.ts';

// Long enough for the redirect that follows, short enough that a lost message does not appear the next day.
const lifetimeSeconds = 60;

/** Ids are random whole numbers below this. */
const idsEnd = 9999;

const ToastSchema = z.object({
  id: z.number().int().min(0).lt(idsEnd),
  type: z.enum(['success', 'info', 'warning', 'danger']),
  title: z.string(),
  body: z.string().optional(),
  values: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  autoClose: z.boolean(),
});

const toastCookie = () => ownCookie('keepsake_toast', { maxAge: lifetimeSeconds, isSigned: true });

export type ToastMessage = Omit<Toast, 'id' | 'autoClose'> & { autoClose?: boolean };

/** The Set-Cookie value that shows a message on the next page. Only a success closes by itself. */
export async function putToast(message: ToastMessage): Promise<string> {
  const autoClose = message.autoClose ?? message.type === 'success';
  const id = Math.floor(Math.random() * idsEnd);
  return toastCookie().serialize({ ...message, id, autoClose });
}

/** Redirects to one of our pages with a message. */
export async function redirectWithToast(to: string, message: ToastMessage, headers = new Headers()) {
  headers.append('Set-Cookie', await putToast(message));
  return redirect(to, { headers });
}

/** Returns whether a message may be pending for the next page. */
export const isToastWaiting = (request: Request): boolean =>
  request.headers.get('Cookie')?.includes(`${ownCookieName('keepsake_toast')}=`) ?? false;

/**
 * A message stays pending for this long once scripts have read it: a reload that was under way, as live
 * updates cause, may replace the page with the message before it is drawn. The page shows an id once.
 */
const rereadSeconds = 3;

/** The pending message, if any, with the Set-Cookie value that ends it. */
export async function takeToast(request: Request): Promise<{ toast: Toast; setCookie: string } | null> {
  if (!isToastWaiting(request)) return null;
  const cookie = toastCookie();
  const parsed = ToastSchema.safeParse(await cookie.parse(request.headers.get('Cookie')));
  if (!parsed.success) return null;
  const byScript = request.headers.get('Sec-Fetch-Dest') === 'empty';
  const setCookie = byScript
    ? await cookie.serialize(parsed.data, { maxAge: rereadSeconds })
    : await cookie.serialize('', { maxAge: 0 });
  // Keys were checked when the signed message was written.
  return { toast: parsed.data as Toast, setCookie };
}
