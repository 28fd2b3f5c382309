import { Link } from '#app/components/shell/link.tsx';

export type Tab = { to: string; label: string; count?: number; current: boolean };

/** Tabs are links: each has its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, label: text, count, current }) => (
        <Link key={to} to={to} aria-current={current ? 'page' : undefined} preventScrollReset>
          {text} {count !== undefined && <span className="count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
