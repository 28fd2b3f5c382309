/** Choices for a frozen rule: it goes on as before, or is deleted and what it promised is stopped. */
export const freezeChoices = ['goOn', 'takeBack'] as const;
export type FreezeChoice = (typeof freezeChoices)[number];
