import { Icon } from '#app/components/icons/icon.tsx';
import { ArrowLeft, ScrollText, ShieldCheck, Timer } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Blurbs } from './blurbs.tsx';
import { anubis } from './examples.ts';

const reasons = [
  { name: 'ledger', icon: ScrollText },
  { name: 'proof', icon: ShieldCheck },
  { name: 'code', icon: Timer },
] as const;

/** An offer as a viewer sees it on Steam: one side gives an item, the other gives nothing. */
function ExampleOffer() {
  const { t } = useTranslation();
  return (
    <figure className="two-sides mt-12">
      <div>
        <span className="s13 muted">{t('landing.safe.get')}</span>
        <ItemArt {...anubis.picture} />
        <b className="s13 strong">{anubis.name}</b>
      </div>
      <Icon of={ArrowLeft} size="large" />
      <div>
        <span className="s13 muted">{t('landing.safe.give')}</span>
        <span className="plate plate--nothing">{t('landing.safe.nothing')}</span>
        <span className="s13 muted">{t('landing.safe.always')}</span>
      </div>
    </figure>
  );
}

/** The measures that keep items safe, and how anyone can check them. */
export function Safety() {
  const { t } = useTranslation();
  return (
    <section className="band" id="safe">
      <div className="wrap">
        <div className="halves halves--end">
          <h2>{t('landing.safe.heading')}</h2>
          <p className="band__lede">{t('landing.safe.lede')}</p>
        </div>
        <ExampleOffer />
        <Blurbs
          blurbs={reasons.map(({ name, icon }) => ({
            icon,
            title: t(`landing.safe.${name}`),
            text: t(`landing.safe.${name}Text`),
          }))}
        />
      </div>
    </section>
  );
}
