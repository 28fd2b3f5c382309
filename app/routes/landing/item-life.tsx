import { Badge } from '#app/components/feedback/badge.tsx';
import { CircleCheck } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { anubis } from './examples.ts';

const moments = ['deposited', 'unlocked', 'promised', 'delivered'] as const;

/** The history of one item from its deposit to its viewer. */
export function ItemLife() {
  const { t } = useTranslation();
  return (
    <figure className="life">
      <div className="life__art">
        <ItemArt {...anubis.picture} eager />
        <figcaption className="life__caption">
          <span>
            <b>{anubis.name}</b>
            <span className="s13">{t('landing.life.meta')}</span>
          </span>
          <Badge type="success" icon={CircleCheck}>
            {t('landing.life.state')}
          </Badge>
        </figcaption>
      </div>
      <ol className="life__rows" aria-label={t('landing.life.label')}>
        {moments.map((moment) => (
          <li key={moment}>
            <span className="life__when">{t(`landing.life.${moment}.when`)}</span>
            <span>{t(`landing.life.${moment}.what`)}</span>
            <span className="life__holder">{t(`landing.life.${moment}.holder`)}</span>
          </li>
        ))}
      </ol>
      <p className="life__note">{t('landing.life.note')}</p>
    </figure>
  );
}
