import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { Ban, Check, CircleCheck, Clock, Timer, TriangleAlert, Undo2 } from '#app/components/icons/signs.ts';
import { Pagination } from '#app/components/lists/list-states.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { usePriceText } from '#app/components/plans/price-text.ts';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Bought, ChargeState, ListedCharge } from '#billing/list-charges.ts';
import type { Page } from '#domain/kernel/page.ts';

const looks: Record<ChargeState, { type: BadgeType; icon: Sign }> = {
  paid: { type: 'success', icon: CircleCheck },
  partlyRefunded: { type: 'plain', icon: Undo2 },
  refunded: { type: 'plain', icon: Undo2 },
  disputed: { type: 'danger', icon: TriangleAlert },
  underWay: { type: 'info', icon: Clock },
  failed: { type: 'danger', icon: TriangleAlert },
  due: { type: 'warning', icon: Timer },
  notCharged: { type: 'plain', icon: Ban },
  nothingDue: { type: 'plain', icon: Check },
  credited: { type: 'success', icon: Check },
};

function useBoughtText(): (bought: Bought) => string {
  const { t } = useTranslation();
  return ({ plan, text, isRest }) => {
    if (!plan) return text;
    const names = { product: t(`billing.product.${plan.product}`), tier: t(`billing.tier.${plan.tier}`) };
    const name = t(plan.period === 'month' ? 'billing.charges.planMonth' : 'billing.charges.planYear', names);
    return isRest ? t('billing.charges.rest', { plan: name }) : name;
  };
}

/** The purchase that a charge paid for, and its period. */
function For({ charge: { bought, hasMore } }: { charge: ListedCharge }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const text = useBoughtText();
  if (bought.length === 0) return t('billing.charges.credit');
  return (
    <div className="stack stack-2">
      {bought.map((each) => (
        <div key={`${each.text} ${each.startMs}`}>
          <div>{text(each)}</div>
          {each.plan && (
            <div className="s13 muted">
              {t('billing.charges.until', {
                from: time(each.startMs, 'date'),
                to: time(each.endMs, 'date'),
              })}
            </div>
          )}
        </div>
      ))}
      {hasMore && <div className="s13 muted">{t('billing.charges.more')}</div>}
    </div>
  );
}

function Amount({ charge: { amount, refunded, currency, state } }: { charge: ListedCharge }) {
  const { t } = useTranslation();
  const price = usePriceText(currency);
  return (
    <>
      <span className="nowrap">{price(amount)}</span>
      {state === 'partlyRefunded' && (
        <div className="s13 muted">{t('billing.charges.refunded', { amount: price(refunded) })}</div>
      )}
    </>
  );
}

function Status({ state }: { state: ChargeState }) {
  const { t } = useTranslation();
  return (
    <>
      <Badge {...looks[state]}>{t(`billing.charges.state.${state}`)}</Badge>
      {state === 'underWay' && <div className="s13 muted">{t('billing.charges.underWay')}</div>}
    </>
  );
}

function ChargeTable({ charges }: { charges: readonly ListedCharge[] }) {
  const { t } = useTranslation();
  const time = useTimeText();
  return (
    <Table
      caption={t('billing.charges.title')}
      rows={charges}
      rowKey={({ id }) => id}
      columns={[
        {
          key: 'date',
          label: t('billing.charges.date'),
          cell: ({ atMs }) => <LocalTime ms={atMs} style="date" className="nowrap" />,
        },
        { key: 'for', label: t('billing.charges.bought'), cell: (row) => <For charge={row} /> },
        { key: 'amount', label: t('billing.charges.amount'), cell: (row) => <Amount charge={row} /> },
        { key: 'status', label: t('billing.charges.status'), cell: ({ state }) => <Status state={state} /> },
        {
          key: 'receipt',
          label: t('billing.charges.receipt'),
          unnamed: true,
          cell: ({ url, atMs }) =>
            url && (
              <a href={url}>
                {t('billing.charges.open')}
                <span className="vh">, {time(atMs, 'date')}</span>
              </a>
            ),
        },
      ]}
    />
  );
}

/** Charges as Stripe has them; null if they cannot be read now. */
export function Charges({ page }: { page: Page<ListedCharge> | null }) {
  const { t } = useTranslation();
  return (
    <section className="stack" aria-labelledby="charges">
      <div>
        <h2 id="charges">{t('billing.charges.title')}</h2>
        {page && page.rows.length > 0 && <p className="s13 muted">{t('billing.charges.lede')}</p>}
      </div>
      {!page && (
        <Callout type="warning" title={t('billing.charges.unavailable')}>
          <p>{t('billing.charges.unavailableText')}</p>
        </Callout>
      )}
      {page && page.rows.length === 0 && <p className="muted">{t('billing.charges.empty')}</p>}
      {page && page.rows.length > 0 && (
        <div className="sheet clip">
          <ChargeTable charges={page.rows} />
        </div>
      )}
      {page && <Pagination next={page.next} parameter="charges" />}
    </section>
  );
}
