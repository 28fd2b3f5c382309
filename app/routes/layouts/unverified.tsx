import { Outlet } from 'react-router';
import { unverified } from '#app/middleware/guards.server.ts';
import type { Route } from './+types/unverified.ts';

export const middleware: Route.MiddlewareFunction[] = [unverified];

// Without a loader, a navigation in the browser would not reach the server, and so not the guard.
export const loader = () => null;

export default function Unverified() {
  return <Outlet />;
}
