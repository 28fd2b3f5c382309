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
