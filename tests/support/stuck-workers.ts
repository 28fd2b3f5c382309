import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { relative } from 'node:path';
import type { Reporter, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node';

/**
 * A run may be silent for this much longer than its longest test or hook, because files are loaded in
 * between.
 */
const SLACK_MS = 2 * 60_000;

/**
 * Kills Vitest's processes when a run has been silent for longer than a test may take. It would otherwise last for
 * ever: Vitest sets no deadline for a test that blocks its process, nor for a process whose last message is lost.
 * The file that such a process was running fails; files that still wait run in new processes.
 */
export default class StuckWorkers implements Reporter {
  readonly #quietMs: number | undefined;
  readonly #children = new Set<ChildProcess>();
  #vitest!: Vitest;
  #timer?: NodeJS.Timeout;
  /** The files without a result, by id. */
  #open = new Map<string, TestSpecification>();
  /** Number of processes that were killed while they ran no file, less those whose error was ignored. */
  #killedIdle = 0;

  readonly #proceed = (): void => void this.#timer?.refresh();
  // Lines that a test logs do not count, because code that it leaves behind can log for ever.
  onTestModuleQueued = this.#proceed;
  onTestModuleCollected = this.#proceed;
  onTestModuleStart = this.#proceed;
  onTestSuiteReady = this.#proceed;
  onTestSuiteResult = this.#proceed;
  onTestCaseReady = this.#proceed;
  onTestCaseResult = this.#proceed;
  onHookStart = this.#proceed;
  onHookEnd = this.#proceed;

  constructor({ quietMs }: { quietMs?: number } = {}) {
    this.#quietMs = quietMs;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    subscribe('child_process', (message) =>
      this.#children.add((message as { process: ChildProcess }).process),
    );
    const { onUnhandledError } = vitest.state;
    vitest.state.onUnhandledError = (error) => {
      // The pool reports every killed process, in the same words as one that died by itself.
      if (this.#killedIdle === 0 || this.#open.size > 0 || !isUnexpectedExit(error))
        return onUnhandledError?.(error);
      this.#killedIdle -= 1;
      return false;
    };
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#open = new Map(specifications.map((each) => [each.taskId, each]));
    const limits = this.#vitest.projects.flatMap(({ config }) => [config.testTimeout, config.hookTimeout]);
    const quietMs = this.#quietMs ?? Math.max(...limits) + SLACK_MS;
    this.#timer = setTimeout(() => this.#endSilence(quietMs), quietMs).unref();
  }

  onTestModuleEnd({ id }: TestModule): void {
    this.#open.delete(id);
    this.#proceed();
  }

  onTestRunEnd(_modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    clearTimeout(this.#timer);
    if (this.#open.size > 0 && reason !== 'interrupted')
      this.#vitest.logger.error(`Not run to the end: ${Array.from(this.#open.values(), nameOf).join(', ')}`);
  }

  #endSilence(quietMs: number): void {
    this.#proceed();
    const killed = this.#killWorkers();
    if (killed === 0) return;
    const unfinished = [...this.#open.values()].flatMap(({ testModule }) => testModule ?? []);
    const silence = `Nothing happened for ${Math.round(quietMs / 1000)} s`;
    for (const file of unfinished) this.#fail(file, `${silence}, and the file's process was killed`);
    if (unfinished.length === 0) this.#killedIdle += killed;
    const reason =
      unfinished.length > 0
        ? `these files had begun and not ended: ${unfinished.map(nameOf).join(', ')}`
        : 'every file that had begun had ended, but no process said so. That alone fails nothing';
    this.#vitest.logger.error(`${silence}, and test processes were killed (${killed}): ${reason}.`);
  }

  /** Kills the processes that the pool still waits for, and returns their number. */
  #killWorkers(): number {
    const entry = `${this.#vitest.distPath}/workers/forks.js`;
    return [...this.#children]
      .filter((child) => child.spawnargs.includes(entry) && child.listenerCount('exit') > 0)
      .filter((child) => child.kill('SIGKILL')).length;
  }

  /** Gives a file the result that its process cannot report any more. */
  #fail(file: TestModule, message: string): void {
    const result = { state: 'fail' as const, errors: [{ name: 'Error', message }] };
    this.#vitest.state.updateTasks([[file.id, result, file.meta()]]);
    this.#open.delete(file.id);
  }
}

const isUnexpectedExit = ({ message, cause }: { message: string; cause?: unknown }): boolean =>
  message === '[vitest-pool]: Worker forks emitted error.' &&
  (cause as Error | undefined)?.message === 'Worker exited unexpectedly';

const nameOf = ({ project, moduleId }: Pick<TestModule, 'project' | 'moduleId'>): string =>
  `${project.name && `[${project.name}] `}${relative(project.config.root, moduleId)}`;
