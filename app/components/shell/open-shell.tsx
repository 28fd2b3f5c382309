import type { ReactNode } from 'react';
import { usePageContext } from './page-context.tsx';
import { PublicShell } from './public-shell.tsx';
import { Shell } from './shell.tsx';

/** The frame of pages that are open to all: who is signed in keeps the menu. */
export function OpenShell({ children }: { children: ReactNode }) {
  const { user } = usePageContext();
  if (user?.verified) return <Shell>{children}</Shell>;
  return (
    <PublicShell>
      <div className="wrap open-page">{children}</div>
    </PublicShell>
  );
}
