import type { ChangeEvent, ComponentProps, ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { useHydrated } from '#app/components/feedback/confirm.tsx';
import { Button } from '#app/components/forms/button.tsx';
import { FilterSelect } from '#app/components/forms/filter-select.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronDown, X } from '#app/components/icons/signs.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

type Select = ComponentProps<typeof FilterSelect>;

/** Parts of an address that name a place in the list as it was filtered before. */
const PLACES = ['after', 'after-trail', 'open'];

const isField = (target: EventTarget): target is HTMLSelectElement | HTMLInputElement =>
  target instanceof HTMLSelectElement || target instanceof HTMLInputElement;

/** A filter in use, which can be dropped by itself. */
function Chip({ name, value, options }: Select) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const others = new URLSearchParams(query);
  for (const each of [name, ...PLACES]) others.delete(each);
  return (
    <Link className="fchip" to={`?${others}`} preventScrollReset>
      <span className="vh">{t('common.clear')}: </span>
      {options.find((option) => option.value === value)?.label ?? value}
      <Icon of={X} />
    </Link>
  );
}

/**
 * Filters of a list that are folded until asked for, as part of its form. A choice applies at once, and by a button where
 * scripts do not run. Those in use are counted and shown even when folded; an order leaves nothing out and is not.
 */
export function FilterFold({ selects, children }: { selects: readonly Select[]; children?: ReactNode }) {
  const { t } = useTranslation();
  const hydrated = useHydrated();
  const used = selects.filter(({ name, value }) => name !== 'order' && value !== '');
  const onChange = ({ target }: ChangeEvent<HTMLElement>) => {
    if (isField(target)) target.form?.requestSubmit();
  };
  return (
    <>
      <details className="fold" onChange={onChange}>
        <summary className="btn btn--secondary">
          {t('common.filter')}
          {used.length > 0 && <span className="count">{used.length}</span>}
          <Icon of={ChevronDown} />
        </summary>
        <div className="fold__panel">
          {selects.map((select) => (
            <FilterSelect key={select.name} {...select} />
          ))}
          {children}
          <Button hidden={hydrated}>{t('common.filter')}</Button>
        </div>
      </details>
      {used.length > 0 && (
        <span className="fchips">
          {used.map((select) => (
            <Chip key={select.name} {...select} />
          ))}
        </span>
      )}
    </>
  );
}
