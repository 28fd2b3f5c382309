import { robots } from '#app/routes/site/sitemap.server.ts';

/** Serves the rules for crawlers. */
export const loader = () => robots();
