import type { ReactNode } from 'react';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Code } from '#app/components/feedback/code.tsx';
import { OutsideLink } from '#app/components/forms/button.tsx';
import { Icon, type Sign } from '#app/components/icons/icon.tsx';
import { Bot, ChevronRight, ExternalLink } from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { Timeline, type TimelineStep } from '#app/components/lists/timeline.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

export type TransferBot = { name: string; steamId: string; sinceMs: number | null; state?: ReactNode };

type Props = {
  picture: ItemPicture;
  name: string;
  /** Which way it goes, as a sign and a line: "Claim, to mira_plays". */
  way: { icon: Sign; text: string };
  badge: ReactNode;
  atMs: number;
  steps: TimelineStep[];
  open?: boolean;
  securityCode: string | null;
  bot: TransferBot | null;
  offerId: string | null;
  /** Where the offer can be opened on Steam, while it can. */
  offerUrl: string | null;
  /** Claims never ask for items, and say so. */
  claim: boolean;
  /** What else belongs below the steps: a button to cancel, a reason for a failure. */
  children?: ReactNode;
};

function BotFacts({ bot, offerId }: { bot: TransferBot | null; offerId: string | null }) {
  const { t } = useTranslation();
  if (!bot && offerId === null) return null;
  return (
    <>
      {bot && (
        <div className="item">
          <Icon of={Bot} size="large" className="avatar avatar--l" />
          <div className="item__text">
            <div className="item__name">{bot.name}</div>
            <div className="item__meta">{t('transfers.botRole')}</div>
          </div>
          {bot.state}
        </div>
      )}
      <dl className="kv">
        {bot && (
          <>
            <dt>{t('transfers.steamId')}</dt>
            <dd>
              <code>{bot.steamId}</code>
            </dd>
          </>
        )}
        {bot?.sinceMs != null && (
          <>
            <dt>{t('transfers.memberSince')}</dt>
            <dd>
              <LocalTime ms={bot.sinceMs} style="date" />
            </dd>
          </>
        )}
        {offerId !== null && (
          <>
            <dt>{t('transfers.offerId')}</dt>
            <dd>
              <code>{offerId}</code>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}

/** One trade offer and its life. Cards of a list share a name, so that one is open at a time. */
export function TransferCard(props: Props) {
  const { picture, name, way, badge, atMs, steps, open = false, securityCode, offerUrl, claim } = props;
  const { t } = useTranslation();
  const facts = (
    <>
      <BotFacts bot={props.bot} offerId={props.offerId} />
      {offerUrl !== null && (
        <OutsideLink wide icon={ExternalLink} href={offerUrl} target="_blank">
          {t('transfers.openOffer')}
        </OutsideLink>
      )}
    </>
  );
  return (
    <details className="transfer" name="transfer" open={open}>
      <summary>
        <ItemArt {...picture} size="thumb" />
        <div className="item__text">
          <div className="item__name">{name}</div>
          <div className="item__meta line line-tight line-nowrap">
            <Icon of={way.icon} size="small" />
            {way.text}
          </div>
        </div>
        <div className="transfer__state">{badge}</div>
        <LocalTime ms={atMs} className="transfer__when s13 muted" />
        <Icon of={ChevronRight} className="transfer__chev" />
      </summary>
      <div className="transfer__body">
        <div className="stack stack-8">
          <Timeline steps={steps} />
          {props.children}
          {claim && (
            <Callout>
              <p>{t('transfers.neverAsks')}</p>
            </Callout>
          )}
        </div>
        {securityCode === null ? (
          <div className="stack stack-3">{facts}</div>
        ) : (
          <div className="stack stack-6">
            <div>
              <h2>{t('transfers.compare')}</h2>
              <p className="s13 muted mb-4">{t('transfers.compareText')}</p>
              <Code big>{securityCode}</Code>
            </div>
            <div className="stack stack-3 ruled">{facts}</div>
          </div>
        )}
      </div>
    </details>
  );
}
