/** Choices for a frozen rule: it goes on as before, or it is deleted and its promises are stopped. */
export const freezeChoices = ['goOn', 'takeBack'] as const;
export type FreezeChoice = (typeof freezeChoices)[number];
