/**
 * The time for pauses, deadlines and the age of what a process remembers: whole milliseconds of the process's own
 * clock, which nobody sets. It counts from the process's start and is no date: it is neither stored nor compared with
 * one, nor with what another process wrote.
 */
export const steadyMs = (): number => Math.floor(performance.now());
