import { z } from 'zod';
import { constraintOf, requiredText } from './form-fields.server.ts';

/** A code of an authenticator app, or a recovery code, with room for spaces and hyphens. */
export const codeField = requiredText(40);

/** The form that asks for one, which several pages use. */
export const CodeSchema = z.object({ code: codeField });
export const codeConstraint = constraintOf(CodeSchema);
