import { z } from 'zod';
import type { Caller } from './caller.server.ts';

/**
 * The way in which a caller confirms who they are, for programs: the call and its fields, and the page that
 * does the same.
 */
export const confirmationMeta = z.strictObject({
  confirm: z.strictObject({
    method: z.literal('POST'),
    path: z.enum(['/api/v1/users/confirm', '/api/v1/login']),
    /** Empty if only the page can do it, for an account without a password and a second factor. */
    fields: z.array(z.enum(['email', 'password', 'code'])),
    page: z.literal('/profile/confirm'),
  }),
});

/**
 * A session is confirmed by the password or, where there is a second factor, by its code. A token never is, so its program
 * signs in for this and calls with the new session.
 */
export function confirmationOf({ account, proof }: Caller): z.output<typeof confirmationMeta> {
  const { hasPassword = false, hasSecondFactor = false } = account ?? {};
  const shared = { method: 'POST', page: '/profile/confirm' } as const;
  if (proof.by !== 'token') {
    const fields = hasSecondFactor ? (['code'] as const) : hasPassword ? (['password'] as const) : [];
    return { confirm: { ...shared, path: '/api/v1/users/confirm', fields: [...fields] } };
  }
  const second = hasSecondFactor ? (['code'] as const) : [];
  const fields = hasPassword ? (['email', 'password', ...second] as const) : [];
  return { confirm: { ...shared, path: '/api/v1/login', fields: [...fields] } };
}
