import type { ReactNode } from 'react';
import { Stepper } from '#app/components/forms/stepper.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Lock } from '#app/components/icons/signs.ts';
import { ItemArt, type ItemPicture } from '#app/components/items/item-art.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Unbroken } from '#app/components/text/unbroken.tsx';

type Props = ItemPicture & {
  /** The kind's value in the form; unique on the page. */
  value: string;
  name: string;
  /** Exterior, rarity and type. */
  meta: ReactNode;
  /** Number of items to pick from. */
  count: number;
  /** The reason why it cannot be picked; then it has neither checkbox nor quantity. */
  offReason?: ReactNode;
  picked?: boolean;
  amount?: number;
  /** The field name for picked kinds; the quantity's field is this name and the value. */
  fieldName?: string;
  onPick?: (picked: boolean) => void;
  onAmount?: (amount: number) => void;
};

/** A kind of item to pick, with a quantity once it is picked: `item=value` and `item:value=amount`. */
export function ItemTile(props: Props) {
  const { value, name, meta, count, offReason, picked = false, amount = 1, fieldName = 'item' } = props;
  const { t } = useTranslation();
  const id = `${fieldName}-${value}`;
  const picture = <ItemArt icon={props.icon} rarity={props.rarity} shape={props.shape} />;
  if (offReason !== undefined) {
    return (
      <li className="tile tile--off">
        {picture}
        <div className="tile__body">
          <span className="tile__name">
            <Unbroken text={name} />
          </span>
          <span className="tile__meta">{meta}</span>
        </div>
        <div className="tile__foot">
          <span className="line line-tight line-nowrap faint">
            <Icon of={Lock} size="small" />
            {offReason}
          </span>
        </div>
      </li>
    );
  }
  return (
    <li className="tile">
      <span className="tile__pick">
        <input
          type="checkbox"
          id={id}
          name={fieldName}
          value={value}
          aria-describedby={`${id}-meta`}
          defaultChecked={picked}
          onChange={(event) => props.onPick?.(event.target.checked)}
        />
      </span>
      {picture}
      <div className="tile__body">
        <label className="tile__name tile__hit" htmlFor={id}>
          <Unbroken text={name} />
        </label>
        <span className="tile__meta" id={`${id}-meta`}>
          {meta}
        </span>
      </div>
      <div className="tile__foot">
        <span className="tile__of tile__of--all">{t('common.pieces', { count })}</span>
        <span className="tile__of tile__of--part">{t('common.outOf', { count })}</span>
        <Stepper
          name={`${fieldName}:${value}`}
          value={value}
          label={name}
          amount={amount}
          max={count}
          onChange={props.onAmount}
        />
      </div>
    </li>
  );
}

/** A grid of tiles. */
export function Tiles({ children }: { children: ReactNode }) {
  return <ul className="tiles">{children}</ul>;
}

type BarProps = { label: string; pictures: readonly ItemPicture[]; children: ReactNode };

/** The selection so far and the next step; it stays visible while the tiles scroll. */
export function SelectionBar({ label, pictures, children }: BarProps) {
  return (
    <section className="bar-select" aria-label={label}>
      <span className="thumbs only-wide">
        {pictures.slice(0, 4).map((picture, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may appear twice.
          <ItemArt key={place} {...picture} size="small" />
        ))}
      </span>
      {children}
    </section>
  );
}
