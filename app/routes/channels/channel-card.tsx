import { Icon } from '#app/components/icons/icon.tsx';
import { Package } from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { Live } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

export type ShownChannel = {
  id: string;
  login: string;
  displayName: string;
  pictureUrl: string;
  live: boolean;
  gameName: string;
  title: string;
  openRules: number;
  freeRewards: number;
  minClaimHours: number;
  maxClaimHours: number;
  pictures: ItemPicture[];
};

/** How long viewers of a channel have to claim. */
function ClaimTimeout({ minClaimHours: from, maxClaimHours: to }: ShownChannel) {
  const { t } = useTranslation();
  return <span>{from === to ? t('browse.claim', { hours: to }) : t('browse.claimRange', { from, to })}</span>;
}

/** A channel and what can be earned there; the whole card is a link to its page. */
export function ChannelCard({
  channel,
  heading: Heading = 'h2',
}: {
  channel: ShownChannel;
  heading?: 'h2' | 'h3';
}) {
  const { t } = useTranslation();
  const { displayName, login, pictureUrl, gameName, title, live, freeRewards, pictures } = channel;
  return (
    <article className="channel">
      <div className="line line-nowrap between">
        <div className="item">
          <Avatar name={displayName} url={pictureUrl || null} />
          <div className="item__text">
            <Heading>
              <Link to={`/channels/${login}`}>{displayName}</Link>
            </Heading>
            <div className="item__meta">{gameName || t('browse.noGame')}</div>
          </div>
        </div>
        <Live on={live} />
      </div>
      <p className="channel__title">{title}</p>
      <div className="line line-nowrap between">
        <span className="thumbs">
          {pictures.map((picture, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pictures may be identical and have no other key.
            <ItemArt key={place} {...picture} size="small" />
          ))}
        </span>
        <span className="s13 muted end">{t('browse.rules', { count: channel.openRules })}</span>
      </div>
      <div className="channel__foot">
        {freeRewards > 0 ? (
          <span>{t('browse.left', { count: freeRewards })}</span>
        ) : (
          <span className="line line-tight">
            <Icon of={Package} size="small" className="warn" />
            {t('browse.noneLeft')}
          </span>
        )}
        <ClaimTimeout {...channel} />
      </div>
    </article>
  );
}
