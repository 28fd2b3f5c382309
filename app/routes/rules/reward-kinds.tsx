import { Form } from 'react-router';
import { Button } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronRight } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { type Column, Table } from '#app/components/lists/table.tsx';
import { useChanceText, useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemKind } from '#db/schema/asset.ts';
import type { KindChance } from '#domain/draw/list-chances.ts';
import type { RewardKind } from '#domain/rule/list-rule-rewards.ts';

type KindsProps = {
  kinds: readonly RewardKind[];
  /** On a random rule: the chances of the kinds that can be drawn now. */
  chances?: readonly KindChance[] | undefined;
};

const rowKeyOf = ({ appId, marketHashName, traits }: ItemKind) => `${appId} ${marketHashName} ${traits}`;

/** A rule's rewards by kind, with how many are in each state. */
function RewardKinds({ kinds, chances }: KindsProps) {
  const { t } = useTranslation();
  const number = useNumberText();
  const chanceText = useChanceText();
  const chanceOf = (kind: RewardKind) =>
    chances?.find((each) => rowKeyOf(each) === rowKeyOf(kind))?.chance ?? 0;
  const chance: Column<RewardKind> = {
    key: 'chance',
    label: t('proof.chanceNow'),
    numeric: true,
    cell: (kind) => <span className="nowrap">{kind.free === 0 ? '–' : chanceText(chanceOf(kind))}</span>,
  };
  const states = ['free', 'promised', 'preparing', 'reserved', 'claimed'] as const;
  const shown = states.filter((state) => state !== 'preparing' || kinds.some((kind) => kind.preparing > 0));
  const amount = (kind: RewardKind, state: (typeof states)[number]) =>
    state === 'reserved' ? kind.reserved - kind.preparing : kind[state];
  return (
    <Table
      caption={t('rules.rewards')}
      stats
      rows={kinds}
      rowKey={rowKeyOf}
      columns={[
        {
          key: 'item',
          label: t('items.custody.item'),
          plain: true,
          cell: (kind) => <ItemLine {...pictureOf(kind)} name={kind.name} meta={<ItemMeta item={kind} />} />,
        },
        ...(chances ? [chance] : []),
        ...shown.map(
          (state): Column<RewardKind> => ({
            key: state,
            label: t(`rules.column.${state}`),
            numeric: true,
            cell: (kind) => number(amount(kind, state)),
          }),
        ),
      ]}
    />
  );
}

/** Kinds that are shown before the list is unfolded. */
const FOLDED = 8;

/** A rule's rewards by kind: the first few, the others folded, and a search where there are many. */
export function FoldedKinds({ kinds, search, chances }: KindsProps & { search: string }) {
  const { t } = useTranslation();
  if (kinds.length <= FOLDED) return <RewardKinds kinds={kinds} chances={chances} />;
  const words = search.toLowerCase();
  const matching = kinds.filter(({ name, marketHashName }) =>
    `${name} ${marketHashName}`.toLowerCase().includes(words),
  );
  const [shown, folded] = [matching.slice(0, FOLDED), matching.slice(FOLDED)];
  return (
    <>
      <Form className="sheet__pad line" role="search" preventScrollReset>
        <SearchField name="kind" label={t('rules.kindSearch')} value={search} />
        <Button>{t('rules.picker.find')}</Button>
      </Form>
      {shown.length === 0 ? (
        <p className="sheet__pad muted">{t('rules.noKind')}</p>
      ) : (
        <RewardKinds kinds={shown} chances={chances} />
      )}
      {folded.length > 0 && (
        <details className="twin sheet__pad">
          <summary>
            <Icon of={ChevronRight} size="small" />
            {t('rules.moreKinds', { count: folded.length })}
          </summary>
          <RewardKinds kinds={folded} chances={chances} />
        </details>
      )}
    </>
  );
}
