import cyrillic from '@fontsource-variable/onest/files/onest-cyrillic-wght-normal.woff2?url';
import latin from '@fontsource-variable/onest/files/onest-latin-wght-normal.woff2?url';
import type { ReactNode } from 'react';
import { data, Links, Outlet, Scripts, ScrollRestoration, useRouteLoaderData } from 'react-router';
import { Flash, PlainToasts, Toasts } from '#app/components/feedback/toasts.tsx';
import { CookieBanner } from '#app/components/shell/cookie-banner.tsx';
import { FailurePage } from '#app/components/shell/failure-page.tsx';
import { useLinks } from '#app/components/shell/link.tsx';
import { PageContext, useDocument } from '#app/components/shell/page-context.tsx';
import { useIsPlain, useLoadedTexts, usePageTexts } from '#app/components/shell/page-handle.ts';
import { useReady } from '#app/components/shell/use-ready.ts';
import { useTimeZoneReport } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import plainScript from '#app/islands/plain-page.ts?worker&url';
import type { Route } from './+types/root.ts';
import { config } from './config.server.ts';
import { addressOfTexts } from './locales/load-texts.ts';
import { userSummaryContext } from './middleware/contexts.server.ts';
import { harmlessData } from './middleware/harmless-data.server.ts';
import { language } from './middleware/language.server.ts';
import { requestLog } from './middleware/request-log.server.ts';
import { sameOrigin } from './middleware/same-origin.server.ts';
import { securityHeaders } from './middleware/security-headers.server.ts';
import { session } from './middleware/session.server.ts';
import { domainNow } from './services/clock.server.ts';
import { timeZoneOf } from './services/preferences.server.ts';
import { takeToast } from './services/toast.server.ts';
import './styles/app.css';

export const middleware: Route.MiddlewareFunction[] = [
  requestLog,
  securityHeaders,
  sameOrigin,
  language,
  session,
  harmlessData,
];

export async function loader({ request, context }: Route.LoaderArgs) {
  const waiting = await takeToast(request);
  const headers = new Headers();
  if (waiting) headers.append('Set-Cookie', waiting.setCookie);
  return data(
    {
      user: context.get(userSummaryContext),
      timeZone: timeZoneOf(request),
      // Without a clock, dates have no year.
      nowMs: await domainNow().catch(() => null),
      imageUrl: config().steam.imageUrl.href,
      appliedImageUrl: config().steam.appliedImageUrl?.href ?? '',
      sites: { steam: config().steam.communityUrl.href, twitch: config().twitch.siteUrl.href },
      toast: waiting?.toast ?? null,
    },
    { headers },
  );
}

// Russian pages contain both scripts: names, amounts and the language switch are Latin.
const fontsOf = (language: string): string[] => (language === 'ru' ? [cyrillic, latin] : [latin]);

/** Preloads the texts, which the scripts would otherwise request last. */
function TextLinks({ names }: { names: readonly string[] }) {
  const { language } = useTranslation();
  const { nonce } = useDocument();
  return ['frame', ...names].map((name) => (
    <link key={name} rel="modulepreload" href={addressOfTexts(language, name)} nonce={nonce} />
  ));
}

export function Layout({ children }: { children: ReactNode }) {
  const { language } = useTranslation();
  const { nonce, theme, requestId, head } = useDocument();
  const isPlain = useIsPlain();
  const texts = usePageTexts();
  return (
    <html lang={language} data-theme={theme} data-request={requestId} data-texts={texts.join(' ')}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme === 'system' ? 'dark light' : theme} />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
        {fontsOf(language).map((href) => (
          <link key={href} rel="preload" as="font" type="font/woff2" crossOrigin="anonymous" href={href} />
        ))}
        <Links nonce={nonce} />
        {head}
        {!isPlain && import.meta.env.PROD && <TextLinks names={texts} />}
      </head>
      <body>
        {children}
        {isPlain ? (
          // Not async: it moves elements that may not be parsed yet.
          <script type="module" src={plainScript} nonce={nonce} />
        ) : (
          <>
            <ScrollRestoration nonce={nonce} />
            <Scripts nonce={nonce} />
          </>
        )}
      </body>
    </html>
  );
}

export default function App({ loaderData }: Route.ComponentProps) {
  const { timeZone, nowMs, imageUrl, appliedImageUrl, sites, toast } = loaderData;
  const user = useReady(loaderData.user);
  const isPlain = useIsPlain();
  useLoadedTexts(usePageTexts());
  useTimeZoneReport();
  useLinks();
  return (
    <PageContext value={{ user, timeZone, nowMs, imageUrl, appliedImageUrl, sites }}>
      {toast && <Flash toast={toast} />}
      <Outlet />
      <CookieBanner />
      {isPlain ? <PlainToasts toast={toast} /> : <Toasts toast={toast} />}
    </PageContext>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  // The error may come from below the loaders that know the visitor, who is still signed in.
  const known = useRouteLoaderData<typeof loader>('root');
  const page = <FailurePage error={error} />;
  return known ? <PageContext value={known}>{page}</PageContext> : page;
}
