import { data } from 'react-router';
import { sitemapPart, xmlResponse } from '#app/routes/site/sitemap.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Route } from './+types/sitemap-part.ts';

/** Serves one sitemap: of the pages, or of some channels. */
export async function loader({ params: { part } }: Route.LoaderArgs) {
  const document = await sitemapPart(await database(), part);
  if (document === null) throw data(null, { status: 404 });
  return xmlResponse(document);
}
