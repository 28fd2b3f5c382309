import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { CircleCheck, CircleX } from '#app/components/icons/signs.ts';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';

/** The external accounts that a user can connect. */
export const linkedAccounts = ['twitch', 'steam'] as const;
export type LinkedAccount = (typeof linkedAccounts)[number];

type Props = { good: boolean; title: string; children: ReactNode; action: ReactNode };

/** The result of connecting an account, for people who came from the companion app. */
export function LinkResult({ good, title, children, action }: Props) {
  return (
    <OpenShell>
      <PageTitle>{title}</PageTitle>
      <div className="confirm">
        <div className="sheet blank" role={good ? 'status' : 'alert'}>
          <Icon of={good ? CircleCheck : CircleX} size="large" />
          <h1>{title}</h1>
          {children}
          {action}
        </div>
      </div>
    </OpenShell>
  );
}
