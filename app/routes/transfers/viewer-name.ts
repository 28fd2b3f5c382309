import { useTranslation } from '#app/components/text/translation.tsx';
import type { ListedTransfer } from '#domain/transfer/list-transfers.ts';

/** The Twitch name of a claim's viewer, as others see it. */
export function useViewerName() {
  const { t } = useTranslation();
  return ({ userName }: Pick<ListedTransfer, 'userName'>) => userName || t('transfers.formerViewer');
}
