import { Link } from '#app/components/shell/link.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RaffleState } from '#db/schema/raffle.ts';

interface PastRaffle {
  id: string;
  keyword: string;
  state: RaffleState;
  startedAtMs: number | null;
}

/** Lists the raffles that a streamer started lately, each with its public page. */
export function PastRaffles({ raffles }: { raffles: readonly PastRaffle[] }) {
  const { t } = useTranslation();
  return (
    <Sheet title={t('raffle.past')}>
      <ul className="s13">
        {raffles.map(({ id, keyword, state, startedAtMs }) => (
          <li key={id}>
            <Link to={`/raffle/${id}`}>!{keyword}</Link> <LocalTime ms={startedAtMs ?? 0} />{' '}
            {t(`raffle.state.${state}`)}
          </li>
        ))}
      </ul>
    </Sheet>
  );
}
