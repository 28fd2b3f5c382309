import type { MouseEvent } from 'react';
import { Button } from '#app/components/forms/button.tsx';
import { Stepper } from '#app/components/forms/stepper.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Search } from '#app/components/icons/signs.ts';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { splitTraits, wearText } from '#app/components/items/item-words.ts';
import { type PickerEntries, pickerOrders } from '#app/components/rules/picker-entries.ts';
import { useChanceText, useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';
import type { PickableKind, Picker } from './use-picker.ts';

export type WeightBounds = { min: number; max: number };

type Props = {
  picker: Picker;
  change: 'add' | 'remove';
  /** Set if rewards are drawn by weight. */
  weights?: WeightBounds | null | undefined;
  /** The picked kinds are all that the draw is among. */
  whole?: boolean;
};

/** With JavaScript a submit button of the picker acts in the browser. */
const locally = (act: () => void) => (event: MouseEvent) => {
  event.preventDefault();
  act();
};

/** Search, order, and a link to all results. */
function PickerHead({ picker, change }: Pick<Props, 'picker' | 'change'>) {
  const { t } = useTranslation();
  const { entries, shown, available } = picker;
  const label = t('rules.picker.search', { count: available });
  return (
    <div className="picker__head">
      <div className="input-icon">
        <Icon of={Search} />
        <input
          className="input"
          type="search"
          name="search"
          defaultValue={entries.search}
          aria-label={label}
          placeholder={label}
          onChange={(event) => picker.change({ search: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
      </div>
      <select
        className="select select--auto"
        name="order"
        defaultValue={entries.order}
        aria-label={t('rules.picker.order')}
        onChange={(event) => picker.change({ order: event.target.value as PickerEntries['order'] })}
      >
        {pickerOrders.map((order) => (
          <option key={order} value={order}>
            {t(`rules.picker.by.${order}`)}
          </option>
        ))}
      </select>
      <Button className="without-script" name="narrow" value="1" formNoValidate>
        {t('rules.picker.find')}
      </Button>
      {shown.length > 1 && (
        <Button name="whole" value="shown" formNoValidate onClick={locally(() => picker.takeAll(shown))}>
          {t(`rules.${change}.allShown`)}
        </Button>
      )}
    </div>
  );
}

function WeightField({ kind, picker, bounds }: { kind: PickableKind; picker: Picker; bounds: WeightBounds }) {
  const { t } = useTranslation();
  return (
    <label className="line line-tight s13">
      {t('proof.weight')}
      <input
        className="input input--weight input--num"
        type="number"
        inputMode="numeric"
        name={`weight:${kind.key}`}
        defaultValue={picker.entries.weights[kind.key] ?? 1}
        min={bounds.min}
        max={bounds.max}
        aria-label={t('proof.weights.weightOf', { name: kind.name })}
        onChange={({ target }) => {
          if (Number.isInteger(target.valueAsNumber)) picker.setWeight(kind.key, target.valueAsNumber);
        }}
      />
    </label>
  );
}

/** The remaining number of a kind, and its chance in a draw. */
function Numbers({ kind, picker, change, weights, whole }: Props & { kind: PickableKind }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const chance = useChanceText();
  const amount = picker.amountOf(kind);
  const sum = picker.picked.reduce((all, { weight }) => all + weight, 0);
  return (
    <div className="prize__nums">
      <span>
        {t(`rules.${change}.remain`, {
          remain: number(kind.available - amount),
          available: number(kind.available),
        })}
      </span>
      {weights && (
        // Without JavaScript a quantity may be typed at any kind.
        <span className={amount > 0 ? undefined : 'without-script'}>
          <WeightField kind={kind} picker={picker} bounds={weights} />
        </span>
      )}
      {whole && weights && amount > 0 && (
        <span>
          {t('rules.picker.chance', { chance: chance((picker.entries.weights[kind.key] ?? 1) / sum) })}
        </span>
      )}
    </div>
  );
}

function Prize({ kind, ...props }: Props & { kind: PickableKind }) {
  const { t, language } = useTranslation();
  const { picker, change } = props;
  const number = useNumberText();
  const count = number(kind.available);
  const single = kind.available === 1;
  const { wear } = splitTraits(kind);
  // Pieces of one name are told apart by what tells them apart on the screen.
  const name = wear ? `${kind.name}, ${t('items.wear', { wear: wearText(wear, language) })}` : kind.name;
  return (
    <div className="prize">
      <ItemArt {...pictureOf(kind)} size="thumb" />
      <div className="item__text">
        <div className="item__name">
          <Unbroken text={kind.name} />
        </div>
        <div className="item__meta">
          <ItemMeta item={kind} />
        </div>
        <Numbers kind={kind} {...props} />
      </div>
      <input type="hidden" name="item" value={kind.key} />
      <div className="line">
        <Stepper
          key={picker.version}
          name={`item:${kind.key}`}
          value={kind.key}
          label={name}
          amount={picker.fieldAmount(kind)}
          min={0}
          max={kind.available}
          onChange={(amount) => picker.setAmount(kind.key, amount)}
        />
        <Button
          kind="quiet"
          size="small"
          name="whole"
          value={kind.key}
          formNoValidate
          aria-label={t(single ? `rules.${change}.singleOf` : `rules.${change}.allOf`, {
            count,
            name,
          })}
          onClick={locally(() => picker.takeAll([kind]))}
        >
          {t(single ? `rules.${change}.single` : `rules.${change}.all`, { count })}
        </Button>
      </div>
    </div>
  );
}

/** Keeps picked kinds that are not shown in the form, and weights that cannot be entered. */
function Unseen({ picker, weights }: Pick<Props, 'picker' | 'weights'>) {
  const { unseen, entries } = picker;
  return (
    <>
      {unseen.map(({ key, quantity }) => (
        <span key={key} hidden>
          <input type="hidden" name="item" value={key} />
          <input type="hidden" name="unseen" value={key} />
          <input type="hidden" name={`item:${key}`} value={quantity} />
        </span>
      ))}
      {Object.entries(entries.weights).map(
        ([key, weight]) =>
          (!weights || unseen.some((kind) => kind.key === key)) && (
            <input key={key} type="hidden" name={`weight:${key}`} value={weight} />
          ),
      )}
    </>
  );
}

function PickerFoot({ picker, change }: Pick<Props, 'picker' | 'change'>) {
  const { t } = useTranslation();
  const { kinds, total, available, further, foldable } = picker;
  return (
    <div className="sheet__foot between">
      <span role="status">
        {total === 0
          ? t('items.inventory.nothingPicked')
          : t('items.inventory.picked', {
              items: t('common.items', { count: total }),
              kinds: t('items.kinds', { count: kinds }),
            })}
        {' · '}
        {t(`rules.${change}.rest`, { count: Math.max(0, available - total) })}
      </span>
      {further > 0 &&
        (foldable ? (
          <Button
            kind="quiet"
            size="small"
            name="showAll"
            value="1"
            formNoValidate
            onClick={locally(() => picker.change({ all: true }))}
          >
            {t('rules.picker.further', { count: further })}
          </Button>
        ) : (
          <span className="s13 muted">{t('rules.picker.tooMany', { count: further })}</span>
        ))}
    </div>
  );
}

/**
 * Quantities of kinds, each bounded by the available number, with the remainder. Without JavaScript its
 * buttons submit the form, which comes back with the change.
 */
export function KindPicker(props: Props) {
  const { t } = useTranslation();
  const { picker, change, weights } = props;
  return (
    <div className="sheet rows">
      <PickerHead picker={picker} change={change} />
      {picker.entries.all && <input type="hidden" name="all" value="1" />}
      {picker.shown.length === 0 && <p className="sheet__pad muted">{t('rules.picker.noMatch')}</p>}
      {picker.shown.map((kind) => (
        <Prize key={kind.key} kind={kind} {...props} />
      ))}
      <Unseen picker={picker} weights={weights} />
      <PickerFoot picker={picker} change={change} />
    </div>
  );
}
