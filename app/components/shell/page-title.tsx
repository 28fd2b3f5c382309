import { useTranslation } from '#app/components/text/translation.tsx';
import { isolated } from '#platform/isolated.ts';
import { usePageContext } from './page-context.tsx';

/** The document's title; React hoists it into the head. */
export function PageTitle({ children, description }: { children: string; description?: string }) {
  const { t } = useTranslation();
  const name = t('common.name');
  const title = children.includes(name) ? children : `${isolated(children)} – ${name}`;
  const ready = usePageContext().user?.readyCount;
  return (
    <>
      <title>{ready ? `(${ready}) ${title}` : title}</title>
      <meta property="og:title" content={title} />
      {description && <meta name="description" content={description} />}
      {description && <meta property="og:description" content={description} />}
    </>
  );
}
