/** Why a message to the operator was refused, in the order the checks are made. */
export const contactCodes = ['captchaSpent', 'linkUnknown', 'linkUsed', 'linkExpired'] as const;
export type ContactCode = (typeof contactCodes)[number];

/** The codes one function can return. */
export type ContactCodeOf<Codes extends ContactCode> = Codes;
