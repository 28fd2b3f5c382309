import { data } from 'react-router';
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
import { getSecondFactor, type ListedPasskey } from '#domain/identity/second-factor/get-second-factor.ts';
import { removePasskey } from '#domain/identity/second-factor/passkeys/remove-passkey.ts';
import type { Route } from './+types/remove-passkey.ts';
import { askAgainIfRefused } from './ask-again.ts';
import { ProofForms } from './proof-forms.tsx';

export const headers = waitHeaders;

const overview = '/profile/second-factor';

/** The passkey of this address; for everybody else there is no such page. */
async function ownPasskey(userId: string, passkeyId: string): Promise<ListedPasskey> {
  const { passkeys } = await getSecondFactor((await database()).read, { userId });
  const passkey = passkeys.find(({ id }) => id === passkeyId);
  if (!passkey) throw data(null, { status: 404 });
  return passkey;
}

export const shouldRevalidate = askAgainIfRefused;

export async function loader({ request, params, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const passkey = await ownPasskey(userId, params.id);
  const asked = await askForProof(request, { userId, token: (await sessionToken(request)) ?? '' });
  return { name: passkey.name, page: `${overview}/passkeys/${passkey.id}/remove`, asked };
}

/** Removes a passkey by a second factor, however lately this session was confirmed. */
export async function action({ request, params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  await ownPasskey(userId, params.id);
  const read = await readProofForm(request, (await sessionToken(request)) ?? '');
  if (read.proof === null) return read.reply;
  const { proof } = read;
  const db = await database();
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const outcome = await proveWithinLimits({ userId, proof }, context.get(clientAddressContext), () =>
    removePasskey(db, { userId, passkeyId: params.id, ...proof }, times),
  );
  if (outcome.ok)
    return redirectWithToast(overview, { type: 'success', title: 'secondFactor.passkeys.removed' });
  if (outcome.code === 'passkeyUnknown')
    return redirectWithToast(overview, { type: 'info', title: accountRefusals[outcome.code].key });
  return replyUnproven(read, outcome);
}

export default function RemovePasskey({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { name, page, asked } = loaderData;
  return (
    <div className="confirm">
      <PageHead
        title={t('secondFactor.passkeys.question', { name })}
        lede={t('secondFactor.passkeys.consequence')}
        above={[{ to: overview, label: t('secondFactor.title') }]}
      />
      <Sheet>
        <ProofForms
          id="remove-passkey"
          asked={asked}
          lastResult={actionData?.result}
          page={page}
          act={t('secondFactor.passkeys.remove')}
          kind="danger-fill"
          keep={
            <ButtonLink kind="quiet" to={overview}>
              {t('secondFactor.passkeys.keep')}
            </ButtonLink>
          }
        />
      </Sheet>
    </div>
  );
}
