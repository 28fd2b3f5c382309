import { z } from 'zod';
import { constraintOf, requiredText } from '#app/services/forms/form-fields.server.ts';
import { API_TOKEN_NAME_MAX_LENGTH } from '#domain/identity/access/issue-api-token.ts';

/** The form that names a new token, which two pages use. */
export const ApiTokenSchema = z.object({ name: requiredText(API_TOKEN_NAME_MAX_LENGTH) });
export const tokenConstraint = constraintOf(ApiTokenSchema);
