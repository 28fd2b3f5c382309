import { onlyOnSite } from '#app/api/only-on-site.ts';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

const siteActs = Object.keys(onlyOnSite) as (keyof typeof onlyOnSite)[];

/** Lists the acts for which a program has to send its user to the site. */
export function OnlyOnSite() {
  const { t } = useTranslation();
  return (
    <Sheet title={t('api.docs.onlyOnSite.title')}>
      <ul>
        {siteActs.map((act) => {
          const page = onlyOnSite[act];
          return (
            <li key={act}>
              {t(`api.docs.onlyOnSite.${act}`)}{' '}
              {page && (
                <a href={page}>
                  <code>{page}</code>
                </a>
              )}
            </li>
          );
        })}
      </ul>
    </Sheet>
  );
}
