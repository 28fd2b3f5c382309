import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { StreamerDashboard } from '#app/routes/dashboard/streamer-dashboard.server.ts';
import { GalleryItem } from './gallery-item.tsx';

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
        {deliveries.map(({ id, item, viewer, atMs }) => (
          <GalleryItem key={id} item={item} whose={viewer}>
            <LocalTime ms={atMs} className="faint" />
          </GalleryItem>
        ))}
      </ul>
    </section>
  );
}
