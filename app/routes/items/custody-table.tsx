import { type FormEvent, type MouseEvent, useState } from 'react';
import { useSubmit } from 'react-router';
import { OpenDialog } from '#app/components/feedback/confirm.tsx';
import { DefaultSubmit, Stepper } from '#app/components/forms/stepper.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Clock, TriangleAlert } from '#app/components/icons/signs.ts';
import { AffectedKinds } from '#app/components/items/affected-items.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { splitTraits, useItemText } from '#app/components/items/item-words.ts';
import { Table } from '#app/components/lists/table.tsx';
import { staysHere } from '#app/components/shell/link.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';
import { joined } from '#platform/isolated.ts';

export type CustodyRow = Omit<ItemFacts, 'marketHashName'> & {
  key: string;
  total: number;
  available: number;
  inCooldown: number;
  lastUnlockMs: number | null;
  assigned: number;
  moving: number;
  missing: number;
};

function Meta({ row }: { row: CustodyRow }) {
  const { t } = useTranslation();
  const time = useTimeText();
  return (
    <>
      <ItemMeta item={row} />
      {row.lastUnlockMs !== null && (
        <span className="line line-tight">
          <Icon of={Clock} size="small" />
          {t('items.custody.cooldownUntil', { amount: row.inCooldown, date: time(row.lastUnlockMs) })}
        </span>
      )}
      {row.missing > 0 && (
        <span className="line line-tight warn">
          <Icon of={TriangleAlert} size="small" />
          {t('items.custody.missingAmount', { amount: row.missing })}
        </span>
      )}
    </>
  );
}

/** The confirmation of returning a quantity of one kind. */
export function useReturnQuestion() {
  const { t } = useTranslation();
  return (picked: readonly { name: string; quantity: number }[]) => {
    const count = picked.reduce((sum, kind) => sum + kind.quantity, 0);
    const [only] = picked;
    return {
      title:
        only && picked.length === 1
          ? t('items.return.questionOne', { count, name: only.name })
          : t('items.return.question', { count }),
      text: t('items.return.text'),
      act: t('items.return.act', { count }),
      keep: t('items.return.keep'),
    };
  };
}

/** Shows the number of the returned kinds that stay on rules. */
export function StayAssigned({
  kinds,
}: {
  kinds: readonly { key: string; name: string; assigned: number }[];
}) {
  const { t } = useTranslation();
  return kinds
    .filter(({ assigned }) => assigned > 0)
    .map(({ key, name, assigned }) => (
      <p className="s13 muted" key={key}>
        {t('items.return.remain', { amount: assigned, name })}
      </p>
    ));
}

/** The quantity and kind to confirm. */
type Asked = { row: CustodyRow; quantity: number };

type ReturnProps = {
  row: CustodyRow;
  /** Submits a filter within the page. The router's own form would compute this for each row. */
  submit: (event: FormEvent<HTMLFormElement>) => void;
  ask: (asked: Asked) => void;
};

function ReturnCell({ row, submit, ask }: ReturnProps) {
  const { t } = useTranslation();
  const form = `return-${row.key}`;
  if (row.available === 0)
    return <span className="line end-line s13 faint nowrap">{t('items.custody.nothingToReturn')}</span>;
  const open = (event: MouseEvent<HTMLButtonElement>) => {
    if (!staysHere(event)) return;
    event.preventDefault();
    const typed = Number(new FormData(event.currentTarget.form ?? undefined).get(`item:${row.key}`));
    const quantity = Number.isInteger(typed) ? Math.max(1, Math.min(typed, row.available)) : 1;
    ask({ row, quantity });
  };
  return (
    <span className="line line-tight line-nowrap end-line">
      <form id={form} action="/items/return" onSubmit={submit}>
        <DefaultSubmit />
        <input type="hidden" name="item" value={row.key} />
        <Stepper name={`item:${row.key}`} value={row.key} label={row.name} amount={1} max={row.available} />
      </form>
      <button type="submit" form={form} className="btn btn--secondary btn--small" onClick={open}>
        {t('items.custody.return')}
        <span className="vh">{` ${row.name}`}</span>
      </button>
    </span>
  );
}

/** The confirmation dialog, shared by all rows, because most of their own dialogs would never be opened. */
function ReturnDialog({ asked, requestId }: { asked: Asked; requestId: string }) {
  const question = useReturnQuestion();
  const { row, quantity } = asked;
  const fields = { item: row.key, [`item:${row.key}`]: String(quantity) };
  return (
    <OpenDialog
      to={asked}
      page={`/items/return?${new URLSearchParams(fields)}`}
      {...question([{ name: row.name, quantity }])}
      fields={{ requestId, ...fields }}
    >
      <AffectedKinds kinds={[{ ...row, quantity }]} />
      <StayAssigned kinds={[row]} />
    </OpenDialog>
  );
}

/** The form of the bar below the table, to which the boxes of the rows belong. */
export const bulkForm = 'bulk';

type BoxProps = { row: CustodyRow; checked: boolean; onPick: (key: string, on: boolean) => void };

/** Picks a kind for the bar. Kinds of one name are told apart by what tells them apart on the screen. */
function Box({ row, checked, onPick }: BoxProps) {
  const text = useItemText()(row);
  return (
    <input
      type="checkbox"
      form={bulkForm}
      name="item"
      value={row.key}
      aria-label={joined([row.name, text, ...splitTraits(row).applied.map(({ name }) => name)], ' · ')}
      disabled={row.available === 0}
      checked={checked}
      onChange={(event) => onPick(row.key, event.target.checked)}
    />
  );
}

type TableProps = {
  rows: readonly CustodyRow[];
  requestIds: readonly string[];
  ticked: readonly CustodyRow[];
  onPick: BoxProps['onPick'];
};

/** The items in custody by kind, with a button to return available ones. */
export function CustodyTable({ rows, requestIds, ticked, onPick }: TableProps) {
  const { t } = useTranslation();
  const number = useNumberText();
  const submit = useSubmit();
  const submitWithin = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    submit(submitter instanceof HTMLButtonElement ? submitter : event.currentTarget);
  };
  const [asked, setAsked] = useState<Asked | null>(null);
  const amount = (value: number) => (value === 0 ? null : number(value));
  const requestIdOf = ({ row: { key } }: Asked) => requestIds[rows.findIndex((row) => row.key === key)] ?? '';
  return (
    <>
      <Table
        caption={t('items.custody.caption')}
        stats
        rows={rows}
        rowKey={(row) => row.key}
        columns={[
          {
            key: 'item',
            label: t('items.custody.item'),
            plain: true,
            cell: (row) => (
              <span className="line line-nowrap">
                <Box row={row} checked={ticked.includes(row)} onPick={onPick} />
                <ItemLine {...pictureOf(row)} name={row.name} meta={<Meta row={row} />} />
              </span>
            ),
          },
          {
            key: 'available',
            label: t('items.custody.available'),
            numeric: true,
            cell: (row) => <b>{number(row.available)}</b>,
          },
          {
            key: 'cooldown',
            label: t('items.custody.cooldown'),
            numeric: true,
            cell: (row) => amount(row.inCooldown),
          },
          {
            key: 'assigned',
            label: t('items.custody.assigned'),
            numeric: true,
            cell: (row) => amount(row.assigned),
          },
          {
            key: 'moving',
            label: t('items.custody.moving'),
            numeric: true,
            cell: (row) => amount(row.moving),
          },
          { key: 'total', label: t('items.custody.total'), numeric: true, cell: (row) => amount(row.total) },
          {
            key: 'actions',
            label: t('items.custody.actions'),
            unnamed: true,
            cell: (row) => <ReturnCell row={row} submit={submitWithin} ask={setAsked} />,
          },
        ]}
      />
      {asked && <ReturnDialog asked={asked} requestId={requestIdOf(asked)} />}
    </>
  );
}
