import { createApi } from '#app/api/api.server.ts';
import { resourceKinds } from '#app/api/resources.ts';
import { table } from '#app/api/table.server.ts';
import type { Route } from './+types/api.ts';

const answer = createApi(table, resourceKinds);

/** Serves everything below /api/v1, and /sanctum/csrf-cookie, from one table. */
export const loader = ({ request, context }: Route.LoaderArgs) => answer(request, context);
export const action = ({ request, context }: Route.ActionArgs) => answer(request, context);
