import type { ReactNode } from 'react';
import { usePageContext } from './page-context.tsx';
import { PublicShell } from './public-shell.tsx';
import { Shell } from './shell.tsx';

/** The layout of pages that are open to all; signed-in users keep the menu. */
export function OpenShell({ children }: { children: ReactNode }) {
  const { user } = usePageContext();
  if (user?.verified) return <Shell>{children}</Shell>;
  return (
    <PublicShell>
      <div className="wrap open-page">{children}</div>
    </PublicShell>
  );
}
