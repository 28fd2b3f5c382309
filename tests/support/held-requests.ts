import type { Fault, FaultTarget } from '#sandbox/steam/state.ts';
import type { SteamStage } from '#tests/support/steam-stage.ts';

/** A request to Steam that waits, before it takes effect or before its answer. */
interface HeldRequest {
  /** Resolves when the request has come. */
  isHeld: Promise<void>;
  release(): void;
}

/** Lets the next request of this kind wait until it is released. */
export function holdNext(stage: SteamStage, target: FaultTarget, when: Fault['when']): HeldRequest {
  let [reach, release] = [() => {}, () => {}];
  const isHeld = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { hold } = stage.watcher;
  let isOver = false;
  stage.watcher.hold = (...request) => {
    if (isOver || request[0] !== target || request[1] !== when) return hold(...request);
    isOver = true;
    reach();
    return isReleased;
  };
  return { isHeld, release: () => release() };
}
