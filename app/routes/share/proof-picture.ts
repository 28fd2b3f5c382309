import { pictureResponse } from '#app/services/share/picture-response.server.ts';
import { proofPicture } from '#app/services/share/proof-pictures.server.ts';
import type { Route } from './+types/proof-picture.ts';

/** The picture shown where a rule's proof is linked. */
export const loader = (args: Route.LoaderArgs) =>
  pictureResponse(args, (db, language) => proofPicture(db, args.params.ruleId, language));
