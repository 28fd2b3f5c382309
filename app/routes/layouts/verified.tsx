import { Outlet } from 'react-router';
import { Shell } from '#app/components/shell/shell.tsx';
import { knownIds, verified } from '#app/middleware/guards.server.ts';
import type { Route } from './+types/verified.ts';
import { NavigationSkeleton } from './navigation-skeleton.tsx';

export const middleware: Route.MiddlewareFunction[] = [verified, knownIds];

// Without a loader, a navigation in the browser would not reach the server, and so not the guard.
export const loader = () => null;

export default function Verified() {
  return (
    <Shell>
      <NavigationSkeleton>
        <Outlet />
      </NavigationSkeleton>
    </Shell>
  );
}
