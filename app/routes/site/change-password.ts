import { redirect } from 'react-router';
import { accountContext } from '#app/middleware/session.server.ts';
import type { Route } from './+types/change-password.ts';

const page = '/profile/password';

/**
 * The address at which password managers find the page that changes a password (W3C, “A Well-Known URL for
 * Changing Passwords”). Visitors sign in first.
 */
export const loader = ({ context }: Route.LoaderArgs) =>
  redirect(context.get(accountContext) ? page : `/auth/signin?${new URLSearchParams({ to: page })}`);
