import { AsyncLocalStorage } from 'node:async_hooks';

type Receive = (error: unknown) => void;
const receivers = new AsyncLocalStorage<Receive>();

/**
 * Runs something whose later errors may reach nobody, such as a package that throws or rejects outside of any
 * call of ours: whatever it began gives such an error to `receive` instead of ending the process.
 */
export const contain = <T>(receive: Receive, run: () => T): T => receivers.run(receive, run);

/** Returns a function that runs something outside of what `contain` runs, as where this was called. */
export const outsideHere = (): (<T>(run: () => T) => T) => AsyncLocalStorage.snapshot();

/** Within the handler of an error that nobody handled: the receiver of whoever caused it, if there is one. */
export const receiverOfError = (): Receive | undefined => receivers.getStore();
