import { type ChangeEvent, type ComponentProps, type KeyboardEvent, type ReactNode, useRef } from 'react';
import { useSearchParams, useSubmit } from 'react-router';
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

const isChoice = (target: EventTarget): target is HTMLSelectElement | HTMLInputElement =>
  target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'checkbox');

/**
 * Applies a choice at once, in place of the page as it was filtered before. In a closed select each arrow key chooses, so
 * what keys chose there applies at Enter or when the select is left.
 */
function useChoices() {
  const submit = useSubmit();
  const byKey = useRef(false);
  const chosen = useRef<HTMLFormElement | null>(null);
  const apply = () => {
    if (chosen.current) void submit(chosen.current, { replace: true, preventScrollReset: true });
    chosen.current = null;
  };
  return {
    onPointerDown: () => {
      byKey.current = false;
    },
    onKeyDown: ({ key }: KeyboardEvent) => {
      byKey.current = key !== 'Enter';
      if (key === 'Enter') apply();
    },
    onChange: ({ target }: ChangeEvent<HTMLElement>) => {
      if (!isChoice(target)) return;
      chosen.current = target.form;
      if (!byKey.current || target instanceof HTMLInputElement) apply();
    },
    onBlur: apply,
  };
}

/** A filter in use, which can be dropped by itself. */
function Chip({ name, label, value, options }: Select) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const others = new URLSearchParams(query);
  for (const each of [name, ...PLACES]) others.delete(each);
  return (
    <Link className="fchip" to={`?${others}`} preventScrollReset>
      <span className="vh">
        {t('common.clear')}: {label}:{' '}
      </span>
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
  return (
    <>
      <details className="fold" {...useChoices()}>
        <summary
          className="btn btn--secondary"
          aria-label={used.length > 0 ? `${t('common.filter')}: ${used.length}` : undefined}
        >
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
