/** Refusals of messages to the operator, in the order they are checked. */
export const contactCodes = ['captchaSpent', 'linkUnknown', 'linkUsed', 'linkExpired'] as const;
export type ContactCode = (typeof contactCodes)[number];

/** The codes one function can return. */
export type ContactCodeOf<Codes extends ContactCode> = Codes;
