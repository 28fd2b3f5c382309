import { useEffect } from 'react';
import { useNavigation, useRevalidator } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { GamePart } from '#app/services/items/inventory.server.ts';

const RELOAD_MS = 3_000;

/**
 * Says of which games only a part is listed. While the rest is read, or the bot does not answer, the page's data is
 * loaded again and again.
 */
export function InventoryProgress({ parts, isAway }: { parts: readonly GamePart[]; isAway: boolean }) {
  const { t } = useTranslation();
  const number = useNumberText();
  useReloads(isAway || parts.some(({ isReading }) => isReading));
  return parts.map(({ game, items: read, total, isReading }) => {
    const title =
      total === null
        ? t('items.inventory.readingSome', { game, items: number(read) })
        : t('items.inventory.readingGame', { game, items: number(read), total: number(total) });
    if (!isReading)
      return (
        <Callout key={game} type="warning">
          <p>{t('items.inventory.partOfGame', { game, items: t('common.items', { count: read }) })}</p>
        </Callout>
      );
    return (
      <Callout key={game} type="info" title={title}>
        {total !== null && <progress className="meter" value={read} max={total} aria-label={title} />}
        <p>{t('items.inventory.readingText')}</p>
      </Callout>
    );
  });
}

/** Loads the page's data again after a pause, unless the page is being left. */
function useReloads(active: boolean): void {
  const { revalidate, state } = useRevalidator();
  const isIdle = useNavigation().state === 'idle' && state === 'idle';
  useEffect(() => {
    if (!active || !isIdle) return;
    const timer = setTimeout(() => void revalidate(), RELOAD_MS);
    return () => clearTimeout(timer);
  }, [active, isIdle, revalidate]);
}
