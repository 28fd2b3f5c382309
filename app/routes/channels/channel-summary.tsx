import { type ReactNode, useId } from 'react';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { Live } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { FreeKind } from '#domain/reward/list-free-kinds.ts';

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
  /** The rarest free reward, and what it takes; null if none is free. */
  best: { ruleId: string; name: string; asks: FreeKind['asks'] } | null;
  pictures: ItemPicture[];
};

type Props = {
  channel: ShownChannel;
  heading?: 'h2' | 'h3';
  /** Beside the pictures. */
  aside: ReactNode;
  children?: ReactNode;
};

/** A channel's name, state and pictures; the whole card is a link to its page. */
export function ChannelSummary({ channel, heading: Heading = 'h2', aside, children }: Props) {
  const { t } = useTranslation();
  const headingId = useId();
  const { displayName, login, pictureUrl, gameName, title, live, pictures } = channel;
  return (
    <article className="channel" aria-labelledby={headingId}>
      <div className="line line-nowrap between">
        <div className="item">
          <Avatar name={displayName} url={pictureUrl || null} />
          <div className="item__text">
            <Heading id={headingId}>
              <Link to={`/channels/${login}`}>{displayName}</Link>
            </Heading>
            <div className="item__meta">{gameName || t('browse.noGame')}</div>
          </div>
        </div>
        <Live on={live} />
      </div>
      <p className="channel__title" title={title || undefined}>
        {title}
      </p>
      <div className="line line-nowrap between">
        <span className="thumbs">
          {pictures.map((picture, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pictures may be identical and have no other key.
            <ItemArt key={place} {...picture} size="small" />
          ))}
        </span>
        <span className="s13 muted">{aside}</span>
      </div>
      {children}
    </article>
  );
}
