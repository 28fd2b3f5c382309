import { robots } from '#app/services/sitemap.server.ts';

/** Serves the rules for crawlers. */
export const loader = () => robots();
