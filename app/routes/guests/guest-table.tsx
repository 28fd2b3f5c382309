import { ConfirmDialog } from '#app/components/feedback/confirm.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Guest } from '#domain/channel/list-guests.ts';

type NamedGuest = { name: string; rules: number };

/** A guest's Twitch name, or a text for one who has disconnected Twitch. */
export function useNamed() {
  const { t } = useTranslation();
  return <Unnamed extends Pick<Guest, 'name'>>(guest: Unnamed) => ({
    ...guest,
    name: guest.name ?? t('guests.unlinked'),
  });
}

/** The confirmation before a guest is removed, on the page and in the dialog. */
export function useDismissQuestion() {
  const { t } = useTranslation();
  return ({ name, rules }: NamedGuest) => ({
    title: t('guests.question', { name }),
    text: t('guests.text'),
    ...(rules > 0 && { children: <p className="strong">{t('guests.textRules', { count: rules })}</p> }),
    act: t('guests.dismiss', { name }),
    keep: t('guests.keep'),
    destructive: true,
  });
}

/** A broadcaster's guests, each with the number of their rules here. */
export function GuestTable({ guests }: { guests: readonly Guest[] }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const question = useDismissQuestion();
  const named = useNamed();
  return (
    <Table
      caption={t('guests.list')}
      rows={guests.map(named)}
      rowKey={({ userId }) => userId}
      columns={[
        {
          key: 'name',
          label: t('guests.name'),
          plain: true,
          cell: ({ name, pictureUrl }) => (
            <span className="line line-tight">
              <Avatar name={name} url={pictureUrl || null} size="small" />
              <b>{name}</b>
            </span>
          ),
        },
        {
          key: 'since',
          label: t('guests.since'),
          cell: ({ admittedAtMs }) => <LocalTime ms={admittedAtMs} className="s13 muted nowrap" />,
        },
        { key: 'rules', label: t('guests.rules'), numeric: true, cell: ({ rules }) => number(rules) },
        {
          key: 'dismiss',
          label: t('guests.act'),
          unnamed: true,
          cell: (guest) => (
            <ConfirmDialog
              {...question(guest)}
              page={`/channel/guests/${guest.userId}/dismiss`}
              opener={t('guests.act')}
              openerClass="btn btn--quiet btn--small"
              openerLabel={t('guests.dismiss', { name: guest.name })}
            />
          ),
        },
      ]}
    />
  );
}
