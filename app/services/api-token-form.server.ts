import { z } from 'zod';
import { apiTokenNameMaxLength } from '#domain/account/access/issue-api-token.ts';
import { constraintOf, requiredText } from './form-fields.server.ts';

/** The form that names a token to be issued; it stands on two pages. */
export const ApiTokenSchema = z.object({ name: requiredText(apiTokenNameMaxLength) });
export const tokenConstraint = constraintOf(ApiTokenSchema);
