import { useEffect } from 'react';
import { useFetcher } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf, useItemMeta } from '#app/components/items/item-facts.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { MyReward } from '#domain/reward/list-my-rewards.ts';
import type { loader } from './claim.tsx';

type Shown = Pick<MyReward, 'item' | 'channel' | 'ruleName'>;
export type ClaimOffer = { botName: string; code: string; holdDays: number };

/** Empty slots of Steam's trade window. */
const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The expected offer, drawn like Steam's own window, for comparison with the real one. */
export function TradeWindow({ reward, offer }: { reward: Shown; offer: ClaimOffer | null }) {
  const { t } = useTranslation();
  const meta = useItemMeta();
  const { item, channel, ruleName } = reward;
  return (
    <>
      <p className="s13 muted">
        {t('progress.trade.from', { item: meta(item), channel: channel.displayName, rule: ruleName })}
      </p>
      {offer && offer.holdDays > 0 && (
        <Callout type="warning" title={t('progress.trade.hold', { count: offer.holdDays })}>
          <p>{t('progress.trade.holdText')}</p>
        </Callout>
      )}
      <div className="trade">
        <div className="trade__side">
          <div>
            <span>{t('progress.trade.receive')}</span>
            <b>{t('progress.trade.items', { count: 1 })}</b>
          </div>
          <ItemArt {...pictureOf(item)} />
        </div>
        <div className="trade__side">
          <div>
            <span>{t('progress.trade.give')}</span>
            <b>{t('progress.trade.items', { count: 0 })}</b>
          </div>
          <div className="slots">
            {SLOTS.map((slot) => (
              <i key={slot} />
            ))}
            <b>{t('progress.trade.nothing')}</b>
          </div>
        </div>
      </div>
      <div className="trade__offer stack stack-2" aria-live="polite">
        {offer && (
          <>
            <div className="s13 muted">{t('progress.trade.code')}</div>
            <Code big>{offer.code}</Code>
            <p className="s13 muted">{t('progress.trade.compare')}</p>
            <p className="s13 muted">{t('progress.trade.bot', { bot: offer.botName })}</p>
          </>
        )}
      </div>
    </>
  );
}

/** The window within a dialog, with data that is loaded when the dialog opens. */
export function LoadedTradeWindow({ reward }: { reward: MyReward }) {
  const { data, load } = useFetcher<typeof loader>();
  const page = `/rewards/${reward.id}/claim`;
  useEffect(() => {
    void load(page);
  }, [load, page]);
  return <TradeWindow reward={reward} offer={data?.offer ?? null} />;
}
