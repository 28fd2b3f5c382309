import { pictureOf } from '#app/components/items/item-facts.ts';
import { useWords } from '#app/components/text/words.ts';
import type { Language } from '#app/locales/languages.ts';
import type { Database } from '#db/database.ts';
import { isId } from '#domain/kernel/id.ts';
import { getWin } from '#domain/view/get-win.ts';
import { joined } from '#platform/isolated.ts';
import { drawable, drawableName } from './drawable.ts';
import { inWords } from './in-words.server.tsx';
import type { SharePicture } from './share-picture.ts';

/** Digits of the wear that a picture shows. */
const WEAR_LENGTH = 6;

/** The picture of exactly the item that was delivered; null where a visitor has no page of it. */
export async function winPicture(
  db: Database,
  rewardId: string,
  language: Language,
): Promise<SharePicture | null> {
  const win = isId(rewardId) ? await getWin(db, { rewardId, userId: null }) : null;
  if (!win) return null;
  const { item, channel, viewerName, deliveredAtMs } = win;
  return inWords(language, () => {
    const { t, time } = useWords();
    const name = viewerName === null ? '' : drawable(viewerName);
    const worn = joined([item.exterior, item.wear?.slice(0, WEAR_LENGTH) ?? ''], ' · ');
    return {
      layout: 'side',
      above: t('share.onChannel', { channel: drawableName(channel.displayName, channel.login) }),
      title: drawable(item.name) || item.marketHashName,
      lines: [
        { icon: 'gift', text: name === '' ? t('win.earnedByViewer') : t('win.earnedBy', { name }) },
        ...(worn === '' ? [] : [{ icon: 'search' as const, text: drawable(worn) }]),
      ],
      code: null,
      cells: [],
      amount: null,
      items: [pictureOf(item)],
      foot: t('share.deliveredOn', { date: time(deliveredAtMs, 'date') }),
    };
  });
}
