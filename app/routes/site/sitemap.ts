import { database } from '#app/services/database.server.ts';
import { sitemapIndex, xmlResponse } from '#app/services/sitemap.server.ts';

/** Serves the list of sitemaps. */
export const loader = async () => xmlResponse(await sitemapIndex(await database()));
