import { channelPicture } from '#app/services/share/channel-pictures.server.ts';
import { pictureResponse } from '#app/services/share/picture-response.server.ts';
import type { Route } from './+types/channel-picture.ts';

/** The picture shown where a channel's page is linked. */
export const loader = (args: Route.LoaderArgs) =>
  pictureResponse(args, (db, language) => channelPicture(db, args.params.login, language));
