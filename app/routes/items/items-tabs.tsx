import { Tabs } from '#app/components/lists/tabs.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

type Props = {
  current: 'inventory' | 'custody';
  lede: string;
  counts: { inventory?: number; custody?: number };
};

/** The header of the item pages: Steam inventory, custody and transfers. */
export function ItemsHead({ current, lede, counts }: Props) {
  const { t } = useTranslation();
  const tab = (name: 'inventory' | 'custody', to: string) => ({
    to,
    label: t(`items.tab.${name}`),
    current: name === current,
    ...(counts[name] !== undefined && { count: counts[name] }),
  });
  const transfers = { to: '/transfers', label: t('items.tab.transfers'), current: false };
  return (
    <>
      <PageHead title={t('items.title')} lede={lede} />
      <Tabs
        label={t('items.title')}
        tabs={[tab('inventory', '/items'), tab('custody', '/items/custody'), transfers]}
      />
    </>
  );
}
