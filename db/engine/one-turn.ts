/** The error of a transaction that is started within another one. */
export const nestingError = () => new Error('transaction() inside transaction(): pass the tx down instead');

/**
 * Watches that a transaction ends in the event loop turn in which it begins. Every query here settles in a microtask, so
 * one that is open for longer awaits something else. If that is another transaction on this connection, each waits for
 * the other: all that were requested while it was open are refused then, which ends it too. Following every promise
 * with AsyncLocalStorage would tell who is nested at once, but costs each promise of the process some time on Node 20.
 */
export function oneTurn() {
  let isOpen = false;
  let isOver = false;
  let isWaiting = false;
  let refused: { promise: Promise<never>; refuse: (error: Error) => void } | null = null;
  const endTurn = () => {
    isWaiting = false;
    if (!isOpen) return;
    isOver = true;
    refused?.refuse(nestingError());
  };
  return {
    begin() {
      isOpen = true;
      if (!isWaiting) setImmediate(endTurn);
      isWaiting = true;
    },
    /** Returns whether the open transaction has outlasted its turn. */
    isOver: () => isOver,
    end() {
      isOpen = false;
      isOver = false;
      refused = null;
    },
    /** For a request while a transaction is open: rejects if that one outlasts its turn. Null if none is open. */
    refusal(): Promise<never> | null {
      if (!isOpen) return null;
      refused ??= refusalOf();
      if (isOver) refused.refuse(nestingError());
      return refused.promise;
    },
  };
}

function refusalOf() {
  let refuse: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  // The caller that waits for it handles a rejection; usually there is none.
  promise.catch(() => {});
  return { promise, refuse };
}
