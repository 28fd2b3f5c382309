import { redirect } from 'react-router';
import { ButtonLink } from '#app/components/forms/button.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import {
  askForProof,
  proveWithinLimits,
  readProofForm,
  replyUnproven,
} from '#app/services/sign-in/proof-form.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { removeAuthenticator } from '#domain/identity/second-factor/remove-authenticator.ts';
import type { Route } from './+types/remove-authenticator.ts';
import { askAgainIfRefused } from './ask-again.ts';
import { ProofForms } from './proof-forms.tsx';

export const headers = waitHeaders;

const page = '/profile/second-factor/off';
const overview = '/profile/second-factor';

export const shouldRevalidate = askAgainIfRefused;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const { authenticatorAtMs } = await getSecondFactor((await database()).read, { userId });
  if (authenticatorAtMs === null) throw redirect(overview);
  return { asked: await askForProof(request, { userId, token: (await sessionToken(request)) ?? '' }) };
}

/** Turns the app off by a second factor, however lately this session was confirmed. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const read = await readProofForm(request, (await sessionToken(request)) ?? '');
  if (read.proof === null) return read.reply;
  const { proof } = read;
  const db = await database();
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const outcome = await proveWithinLimits({ userId, proof }, context.get(clientAddressContext), () =>
    removeAuthenticator(db, { userId, ...proof }, times),
  );
  if (outcome.ok) return redirectWithToast(overview, { type: 'success', title: 'secondFactor.remove.done' });
  if (outcome.code === 'authenticatorOff')
    return redirectWithToast(overview, { type: 'info', title: accountRefusals[outcome.code].key });
  return replyUnproven(read, outcome);
}

export default function RemoveAuthenticator({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <div className="confirm">
      <PageHead
        title={t('secondFactor.remove.title')}
        lede={t('secondFactor.remove.text')}
        above={[{ to: overview, label: t('secondFactor.title') }]}
      />
      <Sheet>
        <ProofForms
          id="remove-authenticator"
          asked={loaderData.asked}
          lastResult={actionData?.result}
          page={page}
          act={t('secondFactor.remove.act')}
          kind="danger-fill"
          keep={
            <ButtonLink kind="quiet" to={overview}>
              {t('secondFactor.remove.keep')}
            </ButtonLink>
          }
        />
      </Sheet>
    </div>
  );
}
