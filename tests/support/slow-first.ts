import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest files: many worlds, new processes or Twitch's own pauses. Started last, each would leave cores idle. */
const slow = [
  'bot/steam/dialects.test.ts',
  'bot/steam/restart.test.ts',
  'bot/twitch/replayed-day.test.ts',
  'bot/twitch/event-carriers.test.ts',
  'bot/conditions/one-condition.test.ts',
  'bot/conditions/two-conditions.test.ts',
  'bot/twitch/api-trouble.test.ts',
  'app/security/extra-fields.test.ts',
  'app/api/every-call.test.ts',
  'domain/invariants.test.ts',
  'domain/reward/check-claim.test.ts',
  'cli/postgres-backup.test.ts',
  'cli/start.test.ts',
  'cli/instance-key.test.ts',
  'cli/move-to-postgres.test.ts',
  'races/killed-upgrade.test.ts',
  'races/promise-race.test.ts',
  'races/redemption-race.test.ts',
];

/** Vitest's order, in which projects follow one another, with each project's slow files first. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const isSlow = ({ moduleId }: TestSpecification) =>
      slow.some((name) => moduleId.endsWith(`tests/${name}`));
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isSlow), ...own.filter((file) => !isSlow(file))];
    });
  }
}
