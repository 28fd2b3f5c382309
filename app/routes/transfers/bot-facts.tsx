import { Badge } from '#app/components/feedback/badge.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Bot, CircleAlert, CircleCheck } from '#app/components/icons/signs.ts';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ListedTransfer } from '#domain/transfer/list-transfers.ts';

/** The bot and the offer as Steam shows them, for comparison. */
export function BotFacts({ bot, offerId }: Pick<ListedTransfer, 'bot' | 'offerId'>) {
  const { t } = useTranslation();
  const working = bot.state === 'ready';
  return (
    <>
      <div className="item">
        <Icon of={Bot} size="large" className="avatar avatar--l" />
        <div className="item__text">
          <div className="item__name">{bot.name}</div>
          <div className="item__meta">{t('transfers.botRole')}</div>
        </div>
        <Badge type={working ? 'success' : 'warning'} icon={working ? CircleCheck : CircleAlert}>
          {t(working ? 'transfers.botWorking' : 'transfers.botAway')}
        </Badge>
      </div>
      <dl className="kv">
        <dt>{t('transfers.steamId')}</dt>
        <dd>
          <code>{bot.steamId ?? '–'}</code>
        </dd>
        <dt>{t('transfers.memberSince')}</dt>
        <dd>
          <LocalTime ms={bot.firstSeenAtMs} style="date" />
        </dd>
        {bot.level !== null && (
          <>
            <dt>{t('transfers.level')}</dt>
            <dd>{bot.level}</dd>
          </>
        )}
        {offerId !== null && (
          <>
            <dt>{t('transfers.offerId')}</dt>
            <dd>
              <code>{offerId}</code>
            </dd>
          </>
        )}
      </dl>
    </>
  );
}
