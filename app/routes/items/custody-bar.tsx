import { Form } from 'react-router';
import { Button } from '#app/components/forms/button.tsx';
import { DefaultSubmit } from '#app/components/forms/stepper.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { bulkForm, type CustodyRow } from './custody-table.tsx';
import { SelectionBar } from './item-tile.tsx';

type Props = {
  /** The ticked rows, which are known with JavaScript alone, and only once it has run. */
  ticked: readonly CustodyRow[] | undefined;
  rules: readonly { id: string; name: string }[];
};

/** Returns all available pieces of the ticked kinds, or adds them to a rule. Both ask once more on a page of their own. */
export function CustodyBar({ ticked, rules }: Props) {
  const { t } = useTranslation();
  const rows = ticked ?? [];
  const count = rows.reduce((sum, { available }) => sum + available, 0);
  const items = t('common.items', { count });
  const kinds = t('items.kinds', { count: rows.length });
  return (
    <SelectionBar label={t('items.inventory.selection')} pictures={rows.map(pictureOf)}>
      <span className="bar-select__count" role="status">
        <b>
          {ticked &&
            (count === 0
              ? t('items.inventory.nothingPicked')
              : t('items.inventory.picked', { items, kinds }))}
        </b>
        <br />
        <span className="s13 muted">{t('items.custody.whole')}</span>
      </span>
      <Form id={bulkForm} className="line" action="/items/return">
        <DefaultSubmit />
        <input type="hidden" name="whole" value="1" />
        {rules.length > 0 && (
          <>
            <select className="select select--auto" name="rule" aria-label={t('given.rule')}>
              {rules.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
            <Button formAction="/items/assign">{t('rules.add.title')}</Button>
          </>
        )}
        <Button>{t('items.custody.return')}</Button>
      </Form>
    </SelectionBar>
  );
}
