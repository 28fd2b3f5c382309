import { Outlet } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Shell } from '#app/components/shell/shell.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { knownIds, verified } from '#app/middleware/guards.server.ts';
import { botNoticeOn } from '#app/services/bot-away.server.ts';
import type { Route } from './+types/verified.ts';
import { NavigationSkeleton } from './navigation-skeleton.tsx';

export const middleware: Route.MiddlewareFunction[] = [verified, knownIds];

/** Without a loader, a navigation in the browser would not reach the server, and so not the guard. */
export const loader = ({ request, context }: Route.LoaderArgs) => botNoticeOn(request, context);

export default function Verified({ loaderData: notice }: Route.ComponentProps) {
  return (
    <Shell>
      {notice && (
        <Callout type="warning" title={notice.title}>
          <p>
            {notice.text} <LocalTime ms={notice.nextStartAtMs} style="seconds" />
          </p>
        </Callout>
      )}
      <NavigationSkeleton>
        <Outlet />
      </NavigationSkeleton>
    </Shell>
  );
}
