import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { StreamerDashboard } from '#app/services/streamer-dashboard.server.ts';

/** The items that reached viewers last, and who has them. */
export function LatestDeliveries({ deliveries }: { deliveries: StreamerDashboard['deliveries'] }) {
  const { t } = useTranslation();
  if (deliveries.length === 0) return null;
  return (
    <section>
      <SectionHead
        title={t('channelPage.latest')}
        aside={
          <Link className="s13 muted" to="/rules/who-got-what">
            {t('given.title')}
          </Link>
        }
      />
      <ul className="gallery gallery--wide">
        {deliveries.map(({ id, item, viewer, deliveredAtMs }) => {
          const name = viewer?.displayName ?? t('transfers.formerViewer');
          return (
            <li key={id}>
              <ItemArt {...pictureOf(item)} />
              <div>
                <div className="item__name">{item.name}</div>
                <span className="line line-tight line-nowrap">
                  <Avatar name={name} url={viewer?.pictureUrl || null} size="tiny" />
                  <span>{name}</span>
                </span>
                <LocalTime ms={deliveredAtMs} className="faint" />
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
