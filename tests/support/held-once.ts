/** A point that is passed only once it is released, the first time that it is reached; later it holds up nobody. */
export function holdOnce() {
  let [reach, release] = [() => {}, () => {}];
  const isReached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isOver = false;
  return {
    /** Resolves when it has been reached. */
    isReached,
    release: () => release(),
    async wait(): Promise<void> {
      if (isOver) return;
      isOver = true;
      reach();
      await isReleased;
    },
  };
}
