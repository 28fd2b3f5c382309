import { useEffect, useRef, useState } from 'react';
import { data } from 'react-router';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Button, ButtonLink, OutsideLink } from '#app/components/forms/button.tsx';
import { Check, ExternalLink, RotateCcw, Undo2 } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { Mark } from '#app/components/items/item-meta.tsx';
import { splitTraits, useItemText } from '#app/components/items/item-words.ts';
import { Link } from '#app/components/shell/link.tsx';
import { OpenShell } from '#app/components/shell/open-shell.tsx';
import { useSites } from '#app/components/shell/page-context.tsx';
import { Crumbs } from '#app/components/shell/page-head.tsx';
import { PageTitle } from '#app/components/shell/page-title.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import { config } from '#app/config.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { database } from '#app/services/database.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { getWin, type Win } from '#domain/view/get-win.ts';
import type { Route } from './+types/win.ts';
import { WearBar } from './wear-bar.tsx';
import { useWinDates } from './win-dates.ts';
import { MomentCard, useFirstMoment } from './win-moment.tsx';
import { Share, Steps } from './win-parts.tsx';
import './win.css';

export async function loader({ params: { id: rewardId }, context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  const userId = account?.verified ? account.id : null;
  const win = isId(rewardId) ? await getWin(await database(), { rewardId, userId }) : null;
  if (!win) throw data(null, { status: 404 });
  const address = new URL(`/wins/${win.id}`, config().publicUrl).href.replace(/^https?:\/\//, '');
  return { win, address };
}

/** The item as large as the page, whose it is, and the way to it. */
function Stage({ win }: { win: Win }) {
  const { t } = useTranslation();
  const dates = useWinDates();
  const itemText = useItemText();
  const sites = useSites();
  const { item, own, status, viewerName } = win;
  const isHere = own !== null && status !== 'reversed';
  return (
    <div className="win__stage">
      <ItemArt {...pictureOf(item)} eager />
      <div className="win__t">
        <div>
          {status === 'reversed' ? (
            <Badge type="danger" icon={Undo2}>
              {t('history.status.reversed')}
            </Badge>
          ) : (
            <Badge type="success" icon={Check}>
              {t('win.delivered')}
            </Badge>
          )}
        </div>
        <h1>
          {isHere && <span className="win__y">{t('win.yours')} </span>}
          <span className="win__n">
            <Unbroken text={item.name} />
          </span>
        </h1>
        <p className="muted">
          <Unbroken text={itemText({ ...item, traits: '' })} />
        </p>
        {!own && (
          <p>{viewerName === null ? t('win.earnedByViewer') : t('win.earnedBy', { name: viewerName })}</p>
        )}
        <p className="win__when">{dates(win)}</p>
        {isHere && (
          <div className="line">
            <OutsideLink
              kind="primary"
              size="large"
              icon={ExternalLink}
              href={sites.inventory}
              target="_blank"
            >
              {t('win.seeOnSteam')}
            </OutsideLink>
            {!win.isHidden && (
              <ButtonLink size="large" to="#share" reloadDocument>
                {t('win.share')}
              </ButtonLink>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** The facts about the piece and where it came from. A piece without wear or traits has fewer cells. */
function Strip({ win: { item, channel, ruleId, ruleName, isRuleOpen, isHidden } }: { win: Win }) {
  const { t } = useTranslation();
  const { wear, applied, others } = splitTraits(item);
  const page = `/channels/${channel.login}`;
  return (
    <div className="win__strip">
      {wear !== '' && (
        <section>
          <h2>{t('win.wear')}</h2>
          <WearBar wear={wear} exterior={item.exterior} />
        </section>
      )}
      {applied.length + others.length > 0 && (
        <section>
          <h2>{t('win.traits')}</h2>
          <ul className="win__traits">
            {applied.map(({ name, icon }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same sticker may be applied twice.
              <li key={place} className="marks">
                <Mark icon={icon} />
                {name}
              </li>
            ))}
            {others.map((trait) => (
              <li key={trait}>{trait}</li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>{t('win.from')}</h2>
        <div className="win__from">
          <Avatar name={channel.displayName} url={channel.pictureUrl || null} size="large" />
          <p>
            {isHidden ? <b>{channel.displayName}</b> : <Link to={page}>{channel.displayName}</Link>}
            <br />
            {isRuleOpen && !isHidden ? <Link to={`${page}/${ruleId}`}>{ruleName}</Link> : ruleName}
          </p>
        </div>
      </section>
    </div>
  );
}

/** The card: by itself on the first visit, later at the viewer's wish. */
function Moment({ win, isSeen }: { win: Win; isSeen: boolean }) {
  const { t } = useTranslation();
  const card = useRef<HTMLDialogElement>(null);
  // The page is loaded again while the card is open, and then says that it was seen.
  const [first] = useState(isSeen || win.status !== 'delivered' ? null : win.id);
  useFirstMoment(card, first);
  // Without JavaScript the page itself is the moment.
  const [able, setAble] = useState(false);
  useEffect(() => setAble(true), []);
  return (
    <div>
      <Button
        type="button"
        kind="quiet"
        size="small"
        icon={RotateCcw}
        hidden={!able}
        onClick={() => card.current?.showModal()}
      >
        {t('win.again')}
      </Button>
      <MomentCard win={win} card={card} />
    </div>
  );
}

export default function WinPage({ loaderData: { win, address } }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { item, own, status } = win;
  return (
    <OpenShell>
      <PageTitle>
        {t(status === 'reversed' ? 'win.titleReversed' : 'win.title', { item: item.name })}
      </PageTitle>
      {own && (
        <div className="mb-4">
          <Crumbs above={[{ to: '/rewardHistory', label: t('history.title') }]} here={item.name} />
        </div>
      )}
      {status === 'reversed' && (
        <Callout type="danger" title={t('win.reversed')}>
          <p>{t('win.reversedAct')}</p>
        </Callout>
      )}
      <article className="sheet win">
        <Stage win={win} />
        <Strip win={win} />
      </article>
      <div className="with-aside mt-6">
        <div className="stack">
          <Steps win={win} />
          {own && status !== 'reversed' && <Moment key={win.id} win={win} isSeen={own.isSeen} />}
        </div>
        {status !== 'reversed' &&
          (win.isHidden ? (
            <p className="aside s13 muted">{t('win.hiddenChannel')}</p>
          ) : (
            <Share win={win} address={address} />
          ))}
      </div>
    </OpenShell>
  );
}
