import { pictureResponse } from '#app/services/share/picture-response.server.ts';
import { drawPicture } from '#app/services/share/proof-pictures.server.ts';
import type { Route } from './+types/draw-picture.ts';

/** The picture shown where the proof of one draw is linked. */
export const loader = (args: Route.LoaderArgs) =>
  pictureResponse(args, async (db, language) => {
    const { ruleId, number } = args.params;
    return /^[1-9]\d{0,8}$/.test(number)
      ? drawPicture(db, { ruleId, number: Number(number) }, language)
      : null;
  });
