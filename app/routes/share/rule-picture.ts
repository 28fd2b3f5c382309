import { rulePicture } from '#app/services/share/channel-pictures.server.ts';
import { pictureResponse } from '#app/services/share/picture-response.server.ts';
import type { Route } from './+types/rule-picture.ts';

/** The picture shown where a rule's public page is linked. */
export const loader = (args: Route.LoaderArgs) =>
  pictureResponse(args, (db, language) => rulePicture(db, args.params, language));
