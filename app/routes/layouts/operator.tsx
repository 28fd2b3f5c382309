import { Outlet } from 'react-router';
import { Shell } from '#app/components/shell/shell.tsx';
import { operatorOnly } from '#app/middleware/guards.server.ts';
import type { Route } from './+types/operator.ts';

export const middleware: Route.MiddlewareFunction[] = [operatorOnly];

// Without a loader, a navigation in the browser would not reach the server, and so not the guard.
export const loader = () => null;

export default function Operator() {
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}
