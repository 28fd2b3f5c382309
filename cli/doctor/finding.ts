/** A fault of an installation, described for its operator. */
export interface Finding {
  /** A name for scripts, which stays the same in every version. */
  name: string;
  /** The fault. */
  what: string;
  /** Its consequence. */
  why: string;
  /** The way to fix it. */
  remedy: string;
}

export interface Times {
  /** Domain time. */
  nowMs: number;
  systemMs: number;
}

/** A check that could not be made, and the reason. */
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
