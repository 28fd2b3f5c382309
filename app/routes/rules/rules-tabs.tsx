import { Tabs } from '#app/components/lists/tabs.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The tabs of the rule pages. */
export function RulesTabs({ current }: { current: 'rules' | 'given' }) {
  const { t } = useTranslation();
  return (
    <Tabs
      label={t('rules.title')}
      tabs={[
        { to: '/rules', label: t('rules.title'), current: current === 'rules' },
        { to: '/rules/who-got-what', label: t('given.title'), current: current === 'given' },
      ]}
    />
  );
}
