import { CookieSettings } from '#app/components/shell/cookie-banner.tsx';
import { DocumentPage } from '#app/components/shell/document-page.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { documentOf } from '#app/http/documents.server.ts';
import { cachedPage } from '#app/middleware/cached-page.server.ts';
import { languageContext } from '#app/middleware/contexts.server.ts';
import type { Route } from './+types/cookies.ts';

export const middleware: Route.MiddlewareFunction[] = [cachedPage];
export const handle: PageHandle = { plain: true };

export const loader = ({ context }: Route.LoaderArgs) => documentOf('cookies', context.get(languageContext));

export default function Cookies({ loaderData }: Route.ComponentProps) {
  return (
    <DocumentPage document={loaderData}>
      <CookieSettings />
    </DocumentPage>
  );
}
