import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The order of cells: delivered first, free last. `reserved` means offer sent, `preparing` means before that. */
export const poolStates = ['claimed', 'reserved', 'preparing', 'promised', 'free', 'recalled'] as const;
export type PoolState = (typeof poolStates)[number];
export type PoolCounts = Partial<Record<PoolState, number>>;

/** Returns whether a rule ever had a reward, including one that was recalled. */
export const hadRewards = (pool: PoolCounts & { recalled: number }): boolean =>
  Object.values(pool).some(Boolean);

/** Splits the reserved rewards of a pool into offers sent and offers in preparation. */
export const splitReserved = <Counts extends { reserved: number }>(counts: Counts, preparing: number) => ({
  ...counts,
  reserved: counts.reserved - preparing,
  ...(preparing > 0 && { preparing }),
});

/** With more cells a pool could not be counted at a glance and would only fill the page. */
export const maxCells = 120;

function cellsOf(counts: PoolCounts): PoolState[] {
  const total = poolStates.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const scale = total > maxCells ? maxCells / total : 1;
  return poolStates.flatMap((state) => {
    const count = counts[state] ?? 0;
    const cells = count === 0 ? 0 : Math.max(1, Math.round(count * scale));
    return Array.from({ length: cells }, () => state);
  });
}

const cellOf = (state: PoolState) => `<span class="cell cell--${state}"></span>`;

/** A rule's rewards, one cell for each item. Recalled ones are omitted unless given. */
export function Pool({ counts, small = false }: { counts: PoolCounts; small?: boolean }) {
  const { t } = useTranslation();
  const parts = poolStates
    .filter((state) => (counts[state] ?? 0) > 0)
    .map((state) => t(`rewards.pool.${state}`, { count: counts[state] ?? 0 }));
  return (
    <div
      className={small ? 'pool pool--s' : 'pool'}
      role="img"
      aria-label={parts.join(', ') || t('rewards.pool.empty')}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: as elements, cells would dominate the page's cost.
      dangerouslySetInnerHTML={{ __html: cellsOf(counts).map(cellOf).join('') }}
    />
  );
}

/** The filter for each state in the list of given rewards; free ones have no viewer. */
const listedAs = {
  claimed: 'delivered',
  reserved: 'offerSent',
  preparing: 'claimed',
  promised: 'promised',
} as const;

type LegendProps = {
  counts: PoolCounts;
  grid?: boolean;
  /** Further filters for the lists that the numbers lead to. */
  filters?: (state: PoolState) => { rule?: string; from?: string };
};

type CountProps = { state: PoolState; count: number; filters: LegendProps['filters'] };

function StateCount({ state, count, filters }: CountProps) {
  const { t } = useTranslation();
  const words = (
    <>
      {t(`rewards.state.${state}`)} <b>{count}</b>
    </>
  );
  const status = state in listedAs ? listedAs[state as keyof typeof listedAs] : null;
  if (!filters || !status || count === 0) return <span>{words}</span>;
  return (
    <Link to={`/rules/who-got-what?${new URLSearchParams({ status, ...filters(state) })}`}>{words}</Link>
  );
}

/** The legend of a pool: each state with its number, which leads to the list of just those. */
export function Legend({ counts, grid = false, filters }: LegendProps) {
  const states = poolStates.filter((state) => counts[state] !== undefined);
  return (
    <div className={grid ? 'legend legend--grid' : 'legend'}>
      {states.map((state) => (
        <span key={state}>
          <span className={`cell cell--${state}`} />
          <StateCount state={state} count={counts[state] ?? 0} filters={filters} />
        </span>
      ))}
    </div>
  );
}
