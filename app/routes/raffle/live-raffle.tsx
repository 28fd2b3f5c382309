import { Form } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Route } from './+types/raffles.ts';

type Data = Route.ComponentProps['loaderData'];

/** The raffle that is prepared, runs or is about to be drawn, with what can be done with it. */
export function LiveRaffle({ raffle }: { raffle: NonNullable<Data['raffle']> }) {
  const { t } = useTranslation();
  return (
    <Sheet title={`!${raffle.keyword}`}>
      <p>{t(`raffle.state.${raffle.state}`)}</p>
      <p className="s13 muted">
        {t('raffle.entries')}: {raffle.entryCount} · {t('raffle.winners')}: {raffle.winners}
      </p>
      {raffle.state === 'prepared' && <p className="s13 muted">{t('raffle.fromChat')}</p>}
      <Form method="post" className="line">
        <input type="hidden" name="raffleId" value={raffle.id} />
        {raffle.state === 'prepared' && (
          <SubmitButton name="act" value="start">
            {t('raffle.start')}
          </SubmitButton>
        )}
        {raffle.state === 'running' && (
          <SubmitButton name="act" value="draw">
            {t('raffle.draw')}
          </SubmitButton>
        )}
        {raffle.state !== 'sealed' && !raffle.asksToCancel && (
          <SubmitButton kind="quiet" name="act" value="cancel">
            {t('raffle.cancel')}
          </SubmitButton>
        )}
      </Form>
      {raffle.state !== 'sealed' && raffle.asksToCancel && (
        <Form method="post" className="line">
          <input type="hidden" name="raffleId" value={raffle.id} />
          <input type="hidden" name="sure" value="on" />
          <p>{t('raffle.cancelText')}</p>
          <SubmitButton kind="danger" name="act" value="cancel">
            {t('raffle.cancel')}
          </SubmitButton>
          <Link to="/raffles">{t('raffle.keep')}</Link>
        </Form>
      )}
      {raffle.state !== 'prepared' && (
        <p className="s13">
          <Link to={`/raffle/${raffle.id}`}>{t('raffle.page')}</Link>
        </p>
      )}
    </Sheet>
  );
}
