import { Outlet } from 'react-router';
import { signedOut } from '#app/middleware/guards.server.ts';
import type { Route } from './+types/visitors.ts';

export const middleware: Route.MiddlewareFunction[] = [signedOut];

// Without a loader, a navigation in the browser would not reach the server, and so not the guard.
export const loader = () => null;

export default function Visitors() {
  return <Outlet />;
}
