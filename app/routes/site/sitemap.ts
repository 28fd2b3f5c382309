import { sitemapIndex, xmlResponse } from '#app/routes/site/sitemap.server.ts';
import { database } from '#app/services/database.server.ts';

/** Serves the list of sitemaps. */
export const loader = async () => xmlResponse(await sitemapIndex(await database()));
