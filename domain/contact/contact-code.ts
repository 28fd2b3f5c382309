/** Why an act on a message to the operator was refused. Verbs check them in this order. */
export const contactCodes = ['captchaSpent', 'linkUnknown', 'linkUsed', 'linkExpired'] as const;
export type ContactCode = (typeof contactCodes)[number];

/** The part of the union that one verb can answer. */
export type ContactCodeOf<Codes extends ContactCode> = Codes;
