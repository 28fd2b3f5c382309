/** Something that is wrong with an installation, for whoever runs it. */
export interface Finding {
  /** The same in every version, for scripts. */
  name: string;
  /** What is wrong here. */
  what: string;
  /** Why it matters. */
  why: string;
  /** How to fix it. */
  remedy: string;
}

export interface Times {
  /** Domain time. */
  nowMs: number;
  systemMs: number;
}

/** What could not be examined, and why. */
export interface Omission {
  area: string;
  because: string;
}

export interface Examined {
  findings: Finding[];
  omissions: Omission[];
}

/** One finding for all omissions. */
export function notExamined(omissions: readonly Omission[]): Finding[] {
  if (omissions.length === 0) return [];
  return [
    {
      name: 'notExamined',
      what: `Not examined: ${omissions.map(({ area, because }) => `${area} (${because})`).join('; ')}.`,
      why: 'More may be wrong than is named here.',
      remedy: 'Correct what keeps it from being examined, and run this again.',
    },
  ];
}
