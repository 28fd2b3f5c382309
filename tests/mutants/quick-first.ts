import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Runs tests with a whole bot and a Steam last, because a mutant that another test notices need not wait for
 * them.
 */
export class QuickFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification) =>
      readFileSync(moduleId, 'utf8').includes('setSteamStage(');
    return files
      .map((file) => ({ file, place: isSlow(file) ? 1 : 0 }))
      .sort((a, b) => a.place - b.place)
      .map(({ file }) => file);
  }
}
