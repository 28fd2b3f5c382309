import { Outlet } from 'react-router';
import { Shell } from '#app/components/shell/shell.tsx';
import { signedIn } from '#app/middleware/guards.server.ts';
import type { Route } from './+types/signed-in.ts';

export const middleware: Route.MiddlewareFunction[] = [signedIn];

// Without a loader, a navigation in the browser would not reach the server, and so not the guard.
export const loader = () => null;

export default function SignedIn() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
