import { useState } from 'react';
import { data, Form, redirect } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Check, Segmented } from '#app/components/forms/choices.tsx';
import { Radio } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { languageNames } from '#app/locales/languages.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { choiceIn } from '#app/services/overlay/overlay-form.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { overlayPieces, overlayPlaces } from '#db/schema/overlay.ts';
import { isId, newId } from '#domain/kernel/id.ts';
import { mayBeLive } from '#domain/overlay/may-be-live.ts';
import { getOverlaySecrets } from '#domain/overlay/overlay.ts';
import {
  openOverlay,
  overlayDoors,
  setOverlay,
  stopOverlay,
  testOverlay,
} from '#domain/overlay/set-overlay.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import type { Route } from './+types/editor.ts';
import { Address, type EditedOverlay, Running } from './editor-parts.tsx';
import './editor.css';

/** A page with a secret in it is never kept, not even for the browser's back button. */
export const headers = () => ({ 'Cache-Control': 'no-store' });

const doorIn = (value: unknown) => overlayDoors.find((door) => door === value) ?? null;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId, twitch, locale } = await requireVerifiedAccount(context);
  if (!twitch) return { overlay: null };
  const db = await database();
  const nowMs = await domainNow();
  const { searchParams } = new URL(request.url);
  const asked = doorIn(searchParams.get('show'));
  const { layout, hashes, ...looks } = await openOverlay(db, { userId, locale }, nowMs);
  const rules = await listRules(db, { ownerId: userId, states: ['open'] });
  const secret = asked && (await getOverlaySecrets(db.read, userId))?.[asked];
  return {
    overlay: {
      ...looks,
      hashes,
      layout: Object.entries(layout).map(([piece, place]) => ({ piece, place: place ?? 'off' })),
      shown:
        asked && secret
          ? { door: asked, address: new URL(`/${asked}/${secret}`, config().publicUrl).href }
          : null,
      rules: rules.rows.map(({ id, name }) => ({ id, name })),
      pieces: overlayPieces,
      places: ['off', ...overlayPlaces] as const,
      requestId: newId(nowMs),
      asksLive: searchParams.get('live') === '1',
    },
  };
}

const here = '/channel/overlay';

type Done = `overlay.${'saved' | 'tested' | 'stopDone'}`;

/** Saves the looks, sends a test, or stops the overlay. What cannot be taken back at once has pages that ask first. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const [db, nowMs] = [await database(), await domainNow()];
  const saved = (title: Done) => redirectWithToast(here, { type: 'success', title });
  switch (form.get('act')) {
    case 'save': {
      const choice = choiceIn(form);
      if (!choice || !(await setOverlay(db, { userId, choice }, nowMs)).ok) throw data(null, { status: 400 });
      return saved('overlay.saved');
    }
    case 'test': {
      const requestId = String(form.get('requestId') ?? '');
      if (!isId(requestId)) throw data(null, { status: 400 });
      const wantsItLive = form.get('live') === 'on';
      const sent = await testOverlay(
        db,
        { userId, requestId, mayBeLive: await mayBeLive(db.read, userId), wantsItLive },
        nowMs,
      );
      if (sent.ok) return saved('overlay.tested');
      if (sent.code === 'live') return redirect(`${here}?live=1`);
      throw data(null, { status: 404 });
    }
    case 'stop':
      await stopOverlay(db, { userId, stops: true }, nowMs);
      return saved('overlay.stopDone');
    default:
      throw data(null, { status: 400 });
  }
}

/** The saved looks as the preview's address asks for them. */
function savedQuery({ layout, ruleId, locale, isCalm, hasSound }: EditedOverlay): URLSearchParams {
  const query = new URLSearchParams({ rule: ruleId ?? '', locale, ground: 'bright' });
  for (const { piece, place } of layout) query.set(piece, place);
  if (isCalm) query.set('calm', 'on');
  if (hasSound) query.set('sound', 'on');
  return query;
}

function Looks({ overlay }: { overlay: EditedOverlay }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState(() => savedQuery(overlay).toString());
  const grounds = (['bright', 'dark', 'none'] as const).map((value) => ({
    value,
    label: t(`overlay.ground.${value}`),
  }));
  const look = (form: HTMLFormElement, changed: string) => {
    const chosen = new URLSearchParams({ first: changed });
    for (const [name, value] of new FormData(form)) chosen.set(name, String(value));
    setQuery(chosen.toString());
  };
  return (
    <Sheet title={t('overlay.preview')}>
      {/* A new frame for each choice: another address in the same one would be a step of the browser's history. */}
      <iframe
        key={query}
        className="overlay-preview"
        title={t('overlay.preview')}
        src={`${here}/preview?${query}`}
      />
      <Form
        className="stack"
        method="post"
        onChange={({ currentTarget, target }) =>
          look(currentTarget, (target as Element).getAttribute('name') ?? '')
        }
      >
        <Segmented legend={t('overlay.ground.title')} name="ground" value="bright" segments={grounds} />
        <p className="s13 muted">{t('overlay.names')}</p>
        <div className="grid-2">
          {overlay.pieces.map((piece) => (
            <label key={piece} className="field">
              <span className="field__label">{t(`overlay.piece.${piece}`)}</span>
              <select
                className="select"
                name={piece}
                defaultValue={overlay.layout.find((each) => each.piece === piece)?.place ?? 'off'}
              >
                {overlay.places.map((place) => (
                  <option key={place} value={place}>
                    {t(`overlay.place.${place}`)}
                  </option>
                ))}
              </select>
            </label>
          ))}
          <label className="field">
            <span className="field__label">{t('overlay.rule')}</span>
            <select className="select" name="rule" defaultValue={overlay.ruleId ?? ''}>
              <option value="">{t('overlay.newest')}</option>
              {overlay.rules.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Segmented
          legend={t('overlay.language')}
          name="locale"
          value={overlay.locale}
          segments={(['en', 'ru'] as const).map((value) => ({ value, label: languageNames[value] }))}
        />
        <Check name="calm" defaultChecked={overlay.isCalm}>
          {t('overlay.calm')}
        </Check>
        <Check name="sound" defaultChecked={overlay.hasSound}>
          {t('overlay.sound')}
        </Check>
        <div className="line">
          <SubmitButton name="act" value="save">
            {t('overlay.save')}
          </SubmitButton>
        </div>
      </Form>
    </Sheet>
  );
}

export default function Editor({ loaderData: { overlay } }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead
        title={t('overlay.title')}
        lede={t('overlay.lede')}
        above={[{ to: '/channel', label: t('channel.title') }]}
      />
      {overlay ? (
        <div className="stack">
          <Looks overlay={overlay} />
          <Address overlay={overlay} door="overlay" />
          <Address overlay={overlay} door="dock" />
          <Running overlay={overlay} />
        </div>
      ) : (
        <EmptyState
          icon={Radio}
          title={t('overlay.noTwitchTitle')}
          action={<ButtonLink to="/profile">{t('shell.toProfile')}</ButtonLink>}
        >
          {t('overlay.noTwitch')}
        </EmptyState>
      )}
    </>
  );
}
