import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { SearchField } from '#app/components/forms/search-field.tsx';
import { ItemArt } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { StreamerDashboard } from '#app/routes/dashboard/streamer-dashboard.server.ts';
import type { Face } from '#domain/view/list-rule-needs.ts';

type TasksData = StreamerDashboard['tasks'];

type TaskProps = {
  count: number;
  title: string;
  text: ReactNode;
  picture?: ReactNode;
  to: string;
  act: string;
  /** The list of the counted things, if the button leads elsewhere. */
  list?: string;
};

/** One type of task: its number, the task and the reason, and a link to do it. */
function Task({ count, title, text, picture, to, act, list, first }: TaskProps & { first: boolean }) {
  return (
    <article className="todo">
      <span className="todo__n num" aria-hidden="true">
        {count}
      </span>
      <div className="todo__what">
        <h3>
          <span className="vh">{count} </span>
          {list ? <Link to={list}>{title}</Link> : title}
        </h3>
        <p>{text}</p>
      </div>
      <div>{picture}</div>
      <ButtonLink kind={first ? 'primary' : 'secondary'} to={to}>
        {act}
      </ButtonLink>
    </article>
  );
}

function Faces({ faces }: { faces: readonly Face[] }) {
  return (
    <span className="stackd">
      {faces.map(({ displayName, pictureUrl }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same viewer may appear twice.
        <Avatar key={place} name={displayName} url={pictureUrl || null} />
      ))}
    </span>
  );
}

/** Pictures of the items that rules low on stock have left, or gave last. */
function Thumbs({ rules }: { rules: TasksData['lowOnStock'] }) {
  return (
    <span className="thumbs">
      {rules.map(({ id, art }) => art && <ItemArt key={id} {...pictureOf(art)} size="small" />)}
    </span>
  );
}

/** The items that unlock on each of seven days. */
function Week({ days }: Pick<TasksData['unlocking'], 'days'>) {
  const { t } = useTranslation();
  const time = useTimeText();
  // Cells that cannot all be drawn would count wrong.
  const cells = (items: number) =>
    items > MAX_CELLS ? `<span aria-hidden="true">${items}</span>` : FREE_CELL.repeat(items);
  const __html = days
    .map(
      ({ startMs, items }, place) =>
        `<li${place === 0 ? ' class="week__now"' : ''}><span class="pool">${cells(items)}</span><span class="vh">${t('dashboard.tasks.items', { count: items })}, </span><span>${time(startMs, 'weekday')}</span><b>${time(startMs, 'dayOfMonth')}</b></li>`,
    )
    .join('');
  return (
    <ol
      className="week"
      aria-label={t('dashboard.tasks.week')}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: only our own texts, numbers and dates, as in a chart.
      dangerouslySetInnerHTML={{ __html }}
    />
  );
}

const MAX_CELLS = 6;
const FREE_CELL = '<span class="cell cell--free"></span>';

function useLowOnStock(lowOnStock: TasksData['lowOnStock']): TaskProps | null {
  const { t } = useTranslation();
  const time = useTimeText();
  const [lowest, next] = lowOnStock;
  if (!lowest) return null;
  return {
    count: lowOnStock.length,
    title: t('dashboard.tasks.low', { count: lowOnStock.length }),
    text: [lowest, ...(next ? [next] : [])]
      .map(({ name, free, isUsed, emptyAtMs }) =>
        [
          free === 0
            ? t(isUsed ? 'dashboard.tasks.outText' : 'dashboard.tasks.unfilledText', { rule: name })
            : t('dashboard.tasks.lowText', { rule: name, count: free }),
          ...(emptyAtMs === null
            ? []
            : [t('dashboard.tasks.emptyBy', { date: time(emptyAtMs, 'weekdayDate') })]),
        ].join(' '),
      )
      .join(' '),
    picture: <Thumbs rules={lowOnStock} />,
    to: lowOnStock.length === 1 ? `/rules/${lowest.id}` : '/rules?need=low',
    act: t('dashboard.tasks.openRules', { count: lowOnStock.length }),
  };
}

function useTasks({ waiting, offers, lowOnStock, refused, unlocking }: TasksData): TaskProps[] {
  const { t } = useTranslation();
  const time = useTimeText();
  const low = useLowOnStock(lowOnStock);
  const tasks: TaskProps[] = [];
  const [rule] = refused;
  if (rule)
    tasks.push({
      count: refused.length,
      title: t('dashboard.tasks.refused', { count: refused.length }),
      text: rule.name,
      to: `/rules/${rule.id}`,
      act: t('dashboard.tasks.openRules', { count: 1 }),
    });
  if (waiting) {
    const { rule, otherRules, faces, sinceMs } = waiting;
    const [first] = faces;
    tasks.push({
      count: waiting.viewers,
      title: t('dashboard.tasks.waiting', { count: waiting.viewers }),
      text: [
        otherRules === 0
          ? t('dashboard.tasks.waitingText', { rule: rule.name })
          : t('dashboard.tasks.waitingTexts', { rule: rule.name }),
        ...(first
          ? [
              t('dashboard.tasks.waitingSince', {
                name: first.displayName,
                date: time(sinceMs, 'weekdayDate'),
              }),
            ]
          : []),
      ].join(' '),
      picture: <Faces faces={faces} />,
      to: `/rules/${rule.id}/rewards/add`,
      act: t('dashboard.tasks.addRewards', { count: rule.waiting }),
      list: otherRules === 0 ? `/rules/${rule.id}` : '/rules?need=waiting',
    });
  }
  if (offers)
    tasks.push({
      count: offers.offers,
      title: t('dashboard.tasks.offers', { count: offers.offers }),
      text:
        offers.firstEndsAtMs === null
          ? t('dashboard.tasks.offersHeld')
          : t('dashboard.tasks.offersText', { date: time(offers.firstEndsAtMs, 'deadline') }),
      picture: <Faces faces={offers.faces} />,
      to: '/rules/who-got-what?status=offerSent',
      act: t('dashboard.tasks.seeOffers', { count: offers.offers }),
    });
  if (low) tasks.push(low);
  if (unlocking.items > 0)
    tasks.push({
      count: unlocking.items,
      title: t('dashboard.tasks.unlocking', { count: unlocking.items }),
      text: t('dashboard.tasks.unlockingText'),
      picture: <Week days={unlocking.days} />,
      to: '/items/custody?state=inCooldown',
      act: t('dashboard.tasks.seeItems', { count: unlocking.items }),
    });
  return tasks;
}

/** The streamer's tasks of today; only the first row's button is primary. */
export function Tasks({ tasks, showsNone }: { tasks: TasksData; showsNone: boolean }) {
  const { t } = useTranslation();
  const rows = useTasks(tasks);
  if (rows.length === 0 && !showsNone) return null;
  return (
    <section>
      <SectionHead
        title={t('dashboard.tasks.title')}
        aside={
          <Form role="search" action="/rules/who-got-what" aria-label={t('given.title')}>
            <SearchField name="q" label={t('dashboard.tasks.find')} value="" />
          </Form>
        }
      />
      {rows.length === 0 ? (
        <p className="sheet sheet__pad muted">{t('dashboard.tasks.none')}</p>
      ) : (
        <div className="sheet rows">
          {rows.map((task, place) => (
            <Task key={task.title} {...task} first={place === 0} />
          ))}
        </div>
      )}
    </section>
  );
}
