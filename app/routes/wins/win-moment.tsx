import { type RefObject, useEffect, useId, useRef } from 'react';
import { Button, ButtonLink, OutsideLink } from '#app/components/forms/button.tsx';
import { ExternalLink, X } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { PieceMarks } from '#app/components/items/item-meta.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { Win } from '#domain/view/get-win.ts';
import { useWinDates } from './win-dates.ts';
import './moment.css';

export type WonItem = Pick<Win, 'id' | 'item' | 'ruleName' | 'deliveredAtMs' | 'settlesAtMs'> & {
  channel: Pick<Win['channel'], 'displayName'>;
};

/** The card of a delivered reward, as large as the window. Its owner opens it. */
export function MomentCard({ win, card }: { win: WonItem; card: RefObject<HTMLDialogElement | null> }) {
  const { t } = useTranslation();
  const dates = useWinDates();
  const sites = useSites();
  const heading = useId();
  const { item, channel, ruleName: rule } = win;
  const picture = pictureOf(item);
  return (
    <dialog className="moment" ref={card} aria-labelledby={heading} data-rarity={picture.rarity}>
      <div className="moment__in">
        <span className="moment__light" />
        <form method="dialog" className="moment__x">
          <Button kind="quiet" icon={X}>
            {t('win.close')}
          </Button>
        </form>
        <div className="moment__art">
          <ItemArt {...picture} eager />
        </div>
        <div className="moment__t">
          <h2 id={heading}>
            <span className="moment__y">{t('win.yours')}</span>{' '}
            <span className="moment__n">
              <Unbroken text={item.name} />
            </span>
          </h2>
          <PieceMarks item={item} />
          <p className="moment__w">
            {item.exterior && `${item.exterior}. `}
            {t('win.fromChannel', { channel: channel.displayName, rule })} {dates(win)}
          </p>
          <div className="line moment__a">
            <OutsideLink
              kind="primary"
              size="large"
              icon={ExternalLink}
              href={sites.inventory}
              target="_blank"
            >
              {t('win.seeOnSteam')}
            </OutsideLink>
            <ButtonLink size="large" to={`/wins/${win.id}`} onClick={() => card.current?.close()}>
              {t('win.toPage')}
            </ButtonLink>
          </div>
        </div>
      </div>
    </dialog>
  );
}

/** Returns whether something on the page wants an answer; the card never lies over it. */
const isPageBusy = () => document.querySelector('dialog[open], :popover-open, [role="alert"]') !== null;

/**
 * Opens the card of a delivered reward by itself, if the server says that it is the first time. Where that cannot be
 * asked, nothing opens, and the reward's page is the moment.
 *
 * @param rewardId null if the card was seen before
 */
export function useFirstMoment(card: RefObject<HTMLDialogElement | null>, rewardId: string | null): void {
  useEffect(() => {
    if (rewardId === null || isPageBusy()) return;
    const begin = async () => {
      const answer = await fetch(`/wins/${rewardId}/seen`, { method: 'POST' });
      const { first } = (await answer.json()) as { first: boolean };
      if (first && !isPageBusy()) card.current?.showModal();
    };
    begin().catch(() => {});
  }, [card, rewardId]);
}

/** The card on another page than the reward's own. */
export function WinMoment({ win }: { win: WonItem }) {
  const card = useRef<HTMLDialogElement>(null);
  useFirstMoment(card, win.id);
  return <MomentCard win={win} card={card} />;
}
