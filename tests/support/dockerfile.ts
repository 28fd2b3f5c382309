import { readFileSync } from 'node:fs';
import { DockerfileParser, type From, type Instruction } from 'dockerfile-ast';

export interface Step {
  keyword: string;
  /** As written, without flags. */
  args: string[];
  flags: Record<string, string>;
  text: string;
}

export interface Stage {
  name: string;
  /** An earlier stage, or an external image. */
  from: string;
  steps: Step[];
}

const stepOf = (
  instruction: Instruction & { getFlags?: () => { getName(): string; getValue(): string | null }[] },
): Step => ({
  keyword: instruction.getKeyword(),
  args: instruction
    .getArguments()
    .map((argument) => argument.getValue())
    .filter((value) => !value.startsWith('--')),
  flags: Object.fromEntries(
    (instruction.getFlags?.() ?? []).map((flag) => [flag.getName(), flag.getValue() ?? '']),
  ),
  text: instruction.getArgumentsContent() ?? '',
});

/** A Dockerfile's stages, in order. */
export function readStages(file: string): Stage[] {
  const stages: Stage[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    if (instruction.getKeyword() !== 'FROM') {
      stages.at(-1)?.steps.push(stepOf(instruction));
      continue;
    }
    const from = instruction as From;
    stages.push({ name: from.getBuildStage() ?? '', from: from.getImage() ?? '', steps: [] });
  }
  return stages;
}

/** All steps of a stage, its base's first. */
export function stepsOf(stages: readonly Stage[], name: string): Step[] {
  const stage = stages.find((one) => one.name === name);
  return stage ? [...stepsOf(stages, stage.from), ...stage.steps] : [];
}

/** The words of the last step with this keyword in exec form, `CMD ["node", "…"]`. */
export function wordsOf(steps: readonly Step[], keyword: string): string[] {
  const text = steps.findLast((step) => step.keyword === keyword)?.text ?? '[]';
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}
