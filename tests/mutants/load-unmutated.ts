// A mutant is active while tests run, not while their file loads: a file that fails to load has no test that
// could fail, and values that a module stores while loading would outlive its mutant, since one process tries
// many.
const stryker = (globalThis as { __stryker__?: { activeMutant: string | undefined } }).__stryker__;
if (stryker) stryker.activeMutant = undefined;
