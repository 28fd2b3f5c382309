import { useTranslation } from '#app/components/text/translation.tsx';

/** The order of cells: delivered first, free last. `reserved` means offer sent, `preparing` means before that. */
export const poolStates = ['claimed', 'reserved', 'preparing', 'promised', 'free', 'recalled'] as const;
export type PoolState = (typeof poolStates)[number];
export type PoolCounts = Partial<Record<PoolState, number>>;

/** Splits the reserved rewards of a pool into offers sent and offers in preparation. */
export const splitReserved = <Counts extends { reserved: number }>(counts: Counts, preparing: number) => ({
  ...counts,
  reserved: counts.reserved - preparing,
  ...(preparing > 0 && { preparing }),
});

/** With more cells a pool could not be counted at a glance and would only fill the page. */
const maxCells = 120;

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

/** The legend of a pool: each state with its number. */
export function Legend({ counts, grid = false }: { counts: PoolCounts; grid?: boolean }) {
  const { t } = useTranslation();
  const states = poolStates.filter((state) => counts[state] !== undefined);
  return (
    <div className={grid ? 'legend legend--grid' : 'legend'}>
      {states.map((state) => (
        <span key={state}>
          <span className={`cell cell--${state}`} />
          <span>
            {t(`rewards.state.${state}`)} <b>{counts[state]}</b>
          </span>
        </span>
      ))}
    </div>
  );
}
