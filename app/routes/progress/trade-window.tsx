import { useEffect } from 'react';
import { useFetcher } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { PieceMarks } from '#app/components/items/item-meta.tsx';
import { useItemText } from '#app/components/items/item-words.ts';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { OfferingBot } from '#domain/reward/find-next-offer.ts';
import type { MyReward } from '#domain/view/list-my-rewards.ts';
import type { loader } from './claim.tsx';
import { SentFrom } from './progress-parts.tsx';

type Shown = Pick<MyReward, 'item' | 'channel' | 'ruleName' | 'sendsFromMs'>;
export type ClaimOffer = { bot: OfferingBot; code: string; holdDays: number };

/** Empty slots of Steam's trade window. */
const SLOTS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The bot as Steam shows it in the offer, and its record of deliveries. */
function BotSheet({ bot: { name, pictureUrl, level, sinceMs, record } }: { bot: OfferingBot }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const time = useTimeText();
  const facts = [
    { name: t('progress.trade.delivered'), value: record && number(record.delivered) },
    { name: t('progress.trade.reversed'), value: record && number(record.reversed) },
    { name: t('progress.trade.level'), value: level === null ? null : number(level) },
    { name: t('progress.trade.since'), value: sinceMs === null ? null : time(sinceMs, 'date') },
  ].filter(({ value }) => value !== null);
  return (
    <>
      <div className="item">
        <Avatar name={name} url={pictureUrl || null} />
        <div className="item__text">
          <div className="item__name">{name}</div>
          <div className="item__meta">{t('progress.trade.bot')}</div>
        </div>
      </div>
      <dl className="record s13">
        {facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** The expected offer, drawn like Steam's own window, for comparison with the real one. */
export function TradeWindow({ reward, offer }: { reward: Shown; offer: ClaimOffer | null }) {
  const { t } = useTranslation();
  const itemText = useItemText();
  const { item, channel, ruleName } = reward;
  return (
    <>
      <p className="s13 muted">
        {t('progress.trade.from', { item: itemText(item), channel: channel.displayName, rule: ruleName })}
      </p>
      <PieceMarks item={item} />
      <SentFrom reward={reward} />
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
            <BotSheet bot={offer.bot} />
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
