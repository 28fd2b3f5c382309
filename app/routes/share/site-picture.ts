import { pictureResponse } from '#app/services/share/picture-response.server.ts';
import { sitePicture } from '#app/services/share/site-picture.server.ts';
import type { Route } from './+types/site-picture.ts';

/** The picture shown where a page without an own picture is linked. */
export const loader = (args: Route.LoaderArgs) =>
  pictureResponse(args, async (_, language) => sitePicture(language));
