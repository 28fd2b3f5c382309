import { pictureResponse } from '#app/services/share/picture-response.server.ts';
import { winPicture } from '#app/services/share/win-picture.server.ts';
import type { Route } from './+types/win-picture.ts';

/** The picture shown where a delivered reward's page is linked. */
export const loader = (args: Route.LoaderArgs) =>
  pictureResponse(args, (db, language) => winPicture(db, args.params.id, language));
