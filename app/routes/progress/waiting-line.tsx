import { Badge } from '#app/components/feedback/badge.tsx';
import { Ban } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { MissedRule, PlaceInLine as Place } from '#domain/view/list-waiting.ts';

type Ordinal = keyof typeof import('#app/locales/en/progress.ts').progress.inLine;

/** A viewer's place on a waiting list: "3rd in line of 11". */
export function PlaceInLine({ place, waiting }: Place) {
  const { t, language } = useTranslation();
  const ordinal = new Intl.PluralRules(language, { type: 'ordinal' }).select(place) as Ordinal;
  return <p className="strong">{t(`progress.inLine.${ordinal}`, { place, waiting })}</p>;
}

/** A rule that was deleted while the viewer waited. */
export function MissedRow({ rule }: { rule: MissedRule }) {
  const { t } = useTranslation();
  return (
    <div className="reward reward--past">
      <ItemArt icon={null} rarity="base" shape="unknown" size="thumb" />
      <div className="item__text">
        <div className="item__name">{rule.ruleName}</div>
        <div className="item__meta">{rule.channel.displayName}</div>
        <div className="s13 muted">
          {t('progress.missed')} <LocalTime ms={rule.closedAtMs} />
        </div>
      </div>
      <div>
        <Badge type="plain" icon={Ban}>
          {t('progress.status.missed')}
        </Badge>
      </div>
    </div>
  );
}
