import { useEffect, useRef, useState } from 'react';
import { Form, useNavigation } from 'react-router';
import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { Button } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { DefaultSubmit } from '#app/components/forms/stepper.tsx';
import { RefreshCw } from '#app/components/icons/signs.ts';
import { AffectedKinds } from '#app/components/items/affected-items.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { FilterFold } from '#app/components/lists/filter-fold.tsx';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemKind } from '#db/schema/asset.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';
import { ItemTile, SelectionBar, Tiles } from './item-tile.tsx';
import { useTagName } from './tag-names.ts';

export type PickableKind = ItemKind & {
  key: string;
  available: number;
  offReason: 'notTradable' | 'protected' | 'inOffer' | 'stack' | null;
  protectedUntilMs: number | null;
};

export type PickerView = {
  kinds: PickableKind[];
  picked: (PickableKind & { quantity: number })[];
  types: string[];
  rarities: string[];
  matching: number;
  next: string | null;
  previous: string | null;
};

type Filters = { q: string; game: string; type: string; rarity: string; order: string; each: string };

type Props = {
  view: PickerView;
  filters: Filters;
  games: readonly { appId: number; name: string }[];
  orders: readonly ('amount' | 'rarity')[];
  ageMs: number;
  isPutOff: boolean;
  requestId: string;
  maxItems: number;
};

/** The form's id: the bar below it and the confirmation send its fields. */
const formId = 'picks';

function ShowEach({ on }: { on: boolean }) {
  const { t } = useTranslation();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.checked = on;
  }, [on]);
  return (
    <label className="check">
      <input type="checkbox" name="each" value="1" ref={box} defaultChecked={on} />
      {t('items.inventory.each')}
    </label>
  );
}

function FilterRow({ view, filters, games, orders }: Pick<Props, 'view' | 'filters' | 'games' | 'orders'>) {
  const { t } = useTranslation();
  const names = useTagName();
  const select = (
    name: keyof Omit<Filters, 'q'>,
    all: string,
    options: { value: string; label: string }[],
  ) => ({ name, label: t(`items.inventory.${name}`), value: filters[name], all, options });
  return (
    <div className="filters">
      <SearchField name="q" label={t('items.itemName')} value={filters.q} />
      <FilterFold
        selects={[
          select(
            'game',
            t('items.inventory.allGames'),
            games.map(({ appId, name }) => ({ value: String(appId), label: name })),
          ),
          select(
            'type',
            t('items.inventory.allTypes'),
            view.types.map((tag) => ({ value: tag, label: names.type(tag) })),
          ),
          select(
            'rarity',
            t('items.inventory.allRarities'),
            view.rarities.map((tag) => ({ value: tag, label: names.rarity(tag) })),
          ),
          select(
            'order',
            t('items.inventory.by.name'),
            orders.map((order) => ({ value: order, label: t(`items.inventory.by.${order}`) })),
          ),
        ]}
      >
        <ShowEach on={filters.each === '1'} />
      </FilterFold>
    </div>
  );
}

function Age({ ageMs, isPutOff }: { ageMs: number; isPutOff: boolean }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const busy = useNavigation().state === 'loading';
  return (
    <p className="s13 faint mb-4 line line-tight">
      {ageMs < 60_000
        ? t('items.inventory.readNow')
        : t('items.inventory.readAgo', { span: span(Math.floor(ageMs / 1000)) })}
      {isPutOff && <span>{t('items.inventory.readPutOff')}</span>}
      <Button kind="quiet" size="small" icon={RefreshCw} name="fresh" value="1" busy={busy}>
        {t('items.inventory.readAgain')}
      </Button>
    </p>
  );
}

function useOffReason(): (kind: PickableKind) => string | undefined {
  const { t } = useTranslation();
  const time = useTimeText();
  return ({ offReason, protectedUntilMs }) => {
    if (offReason === null) return undefined;
    if (offReason !== 'protected') return t(`items.inventory.off.${offReason}`);
    return protectedUntilMs === null
      ? t('items.inventory.off.protectedNoDate')
      : t('items.inventory.off.protected', { date: time(protectedUntilMs) });
  };
}

/** Links to more kinds: buttons of the form, so that the selection is kept. */
function Pages({ view }: { view: PickerView }) {
  const { t } = useTranslation();
  const number = useNumberText();
  return (
    <nav className="line between mt-6" aria-label={t('common.pages')}>
      <span className="s13 faint">
        {t('items.inventory.shown', {
          shown: number(view.kinds.length),
          total: t('items.kinds', { count: view.matching }),
        })}
      </span>
      <span className="line line-tight">
        {view.previous !== null && (
          <Button kind="quiet" name="after" value={view.previous}>
            {t(view.previous === '' ? 'common.first' : 'common.previous')}
          </Button>
        )}
        {view.next !== null && (
          <Button name="after" value={view.next}>
            {t('common.next')}
          </Button>
        )}
      </span>
    </nav>
  );
}

type Picked = PickerView['picked'];

function Bar({
  picked,
  requestId,
  maxItems,
  onClear,
}: {
  picked: Picked;
  requestId: string;
  maxItems: number;
  onClear: () => void;
}) {
  const { t } = useTranslation();
  const count = picked.reduce((sum, kind) => sum + kind.quantity, 0);
  const items = t('common.items', { count });
  const kinds = t('items.kinds', { count: picked.length });
  // The selection is also in the address, because a refusal is shown on that page.
  const picks = picked.flatMap(({ key, quantity }) => [
    ['item', key],
    [`item:${key}`, String(quantity)],
  ]);
  return (
    <SelectionBar label={t('items.inventory.selection')} pictures={picked.map(pictureOf)}>
      <span className="bar-select__count" role="status">
        <b>
          {count === 0 ? t('items.inventory.nothingPicked') : t('items.inventory.picked', { items, kinds })}
        </b>
        <br />
        <span className={count > maxItems ? 's13 warn' : 's13 muted'}>
          {count > maxItems
            ? t('items.inventory.tooMany', { count: maxItems })
            : t('items.inventory.pickedText')}
        </span>
      </span>
      {count > 0 && (
        <Link className="btn btn--quiet" to="/items" onClick={onClear}>
          {t('common.clear')}
        </Link>
      )}
      <ConfirmDialog
        page={`/items/deposit?${new URLSearchParams(picks)}`}
        opener={t('items.inventory.review')}
        openerClass="btn btn--primary"
        openerForm={formId}
        openerPlain={count === 0 || count > maxItems}
        title={t('items.deposit.question', { count })}
        text={t('items.deposit.text')}
        act={t('items.deposit.act', { count })}
        keep={t('items.deposit.keep')}
        fields={{
          requestId,
          item: picked.map(({ key }) => key),
          ...Object.fromEntries(picks.filter(([name]) => name !== 'item')),
        }}
      >
        {count > MAX_ITEMS_PER_OFFER && <p>{t('items.deposit.several')}</p>}
        <AffectedKinds kinds={picked} />
      </ConfirmDialog>
    </SelectionBar>
  );
}

type Known = { kind: PickableKind; quantity: number; on: boolean };

/** The selection: it starts from the address and follows the checkboxes and steppers in the browser. */
function usePicked(view: PickerView) {
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(
    () => new Map(view.picked.map((kind) => [kind.key, { kind, quantity: kind.quantity, on: true }])),
  );
  const change = (kind: PickableKind, facts: Partial<Known>) =>
    setKnown((before) => {
      const was = before.get(kind.key) ?? { kind, quantity: 1, on: false };
      return new Map(before).set(kind.key, { ...was, ...facts });
    });
  const picked = [...known.values()]
    .filter(({ on }) => on)
    .map(({ kind, quantity }) => ({ ...kind, quantity: Math.max(1, Math.min(quantity, kind.available)) }));
  return { picked, change, clear: () => setKnown(new Map()) };
}

/**
 * Tiles to pick from, and the selection so far. The form's state is in the address, so it works without JavaScript.
 */
export function InventoryPicker({
  view,
  filters,
  games,
  orders,
  ageMs,
  isPutOff,
  requestId,
  maxItems,
}: Props) {
  const { t } = useTranslation();
  const offReason = useOffReason();
  const { picked, change, clear } = usePicked(view);
  const [round, setRound] = useState(0);
  const quantityOf = (key: string) => picked.find((kind) => kind.key === key)?.quantity;
  const shown = new Set(view.kinds.map((kind) => kind.key));
  const onClear = () => {
    clear();
    setRound((before) => before + 1);
  };
  return (
    <>
      <Form id={formId} action="/items" preventScrollReset key={round}>
        <DefaultSubmit />
        <FilterRow view={view} filters={filters} games={games} orders={orders} />
        <Age ageMs={ageMs} isPutOff={isPutOff} />
        <p className="s13 faint mb-4">{t('items.inventory.hidden')}</p>
        {picked
          .filter((kind) => !shown.has(kind.key))
          .map(({ key, quantity }) => (
            <span key={key} hidden>
              <input type="hidden" name="item" value={key} />
              <input type="hidden" name={`item:${key}`} value={quantity} />
            </span>
          ))}
        {view.kinds.length === 0 ? (
          <EmptyState
            title={t('items.noMatchTitle')}
            action={
              <Link className="btn btn--secondary" to="/items">
                {t('items.showAll')}
              </Link>
            }
          >
            {t('items.noMatch')}
          </EmptyState>
        ) : (
          <Tiles>
            {view.kinds.map((kind) => (
              <ItemTile
                key={kind.key}
                {...pictureOf(kind)}
                value={kind.key}
                name={kind.name}
                meta={<ItemMeta item={kind} />}
                count={kind.available}
                offReason={offReason(kind)}
                picked={quantityOf(kind.key) !== undefined}
                amount={view.picked.find(({ key }) => key === kind.key)?.quantity ?? 1}
                onPick={(on) => change(kind, { on })}
                onAmount={(quantity) => change(kind, { quantity })}
              />
            ))}
          </Tiles>
        )}
        <Pages view={view} />
      </Form>
      <Bar picked={picked} requestId={requestId} maxItems={maxItems} onClear={onClear} />
    </>
  );
}
