import { botVariables } from '#platform/bot-variables.ts';
import type { ConfigurationPlan } from '#platform/configuration.ts';
import { webVariables } from '#platform/web-variables.ts';
import { startPlan } from '../../cli/settings.ts';

const plans: Record<string, ConfigurationPlan> = {
  web: webVariables,
  bot: botVariables,
  supervisor: startPlan,
};

type Variable = ConfigurationPlan[string];
type Setting = Variable & { name: string; processes: string[] };

/** Every variable once, with the processes that read it. Two processes may define one name differently. */
function listSettings(): Setting[] {
  const found = new Map<Variable, Setting>();
  for (const [process, plan] of Object.entries(plans))
    for (const [name, variable] of Object.entries(plan)) {
      const known = found.get(variable);
      if (known) known.processes.push(process);
      else found.set(variable, { ...variable, name, processes: [process] });
    }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/**
 * Values that break the rules of a check one by one, so that its messages together describe the allowed
 * values.
 */
const wrongValues = ['\u0000', '-1', '1.5', '99999', 'http://host/path?query'];

function allowedBy({ check }: Variable): string {
  const problems = wrongValues.map((value) => check.safeParse(value).error?.issues[0]?.message);
  return [...new Set(problems.filter((problem) => problem !== undefined))].join('; ') || 'any text';
}

function defaultOf({ check }: Variable): string | null {
  const value = check.safeParse(undefined).data;
  return value === undefined ? null : String(value);
}

const cell = (text: string) => text.replaceAll('|', '\\|');

function tableRow(setting: Setting): string {
  const { name, processes, about, secret } = setting;
  const value = defaultOf(setting);
  const cells = [
    `\`${name}\``,
    processes.join(', '),
    about,
    value === null ? '–' : `\`${value}\``,
    allowedBy(setting),
    secret ? `yes; or \`${name}_FILE\`` : 'no',
  ];
  return `| ${cells.map(cell).join(' | ')} |`;
}

const configurationPage = (settings: Setting[]) => `# Configuration

<!-- Written by npm run docs:settings from the settings' definitions; edit those. -->

Each process reads its settings from environment variables when it starts; an empty one counts as unset. A secret can also be read from a file whose path is in \`NAME_FILE\`; setting both is a fault. Operator commands read the same variables. \`npm start\`, \`npm run dev\` and \`npm run keepsake\` also read \`.env\` in the folder they run in; what is set in the environment has priority, and so has a secret there under either of its names. If a setting is wrong, the process exits and prints one line for each: the variable, what is wrong, an example. A public instance needs ${settings
  .filter(({ needed }) => needed)
  .map(({ name }) => `\`${name}\``)
  .join(', ')}; [.env.example](../.env.example) lists everything as a file to start from.

| variable | read by | meaning | default | value | secret |
|---|---|---|---|---|---|
${settings.map(tableRow).join('\n')}
`;

function exampleLines(setting: Setting): string {
  const { name, processes, about, secret, needed, example } = setting;
  const value = defaultOf(setting);
  const facts = [
    `Read by ${processes.join(', ')}`,
    `value: ${allowedBy(setting)}`,
    value === null ? 'no default' : `default: ${value}`,
    ...(secret ? [`secret, or ${name}_FILE`] : []),
  ];
  return `# ${about}\n# ${facts.join(' · ')}\n${needed ? '' : '# '}${name}=${value ?? example}\n`;
}

const exampleFile = (settings: Setting[]) =>
  `# Written by npm run docs:settings. Copy to .env; what a public instance needs is not commented out.\n\n${settings.map(exampleLines).join('\n')}`;

/** The documents of the settings by path, as the definitions of the variables have them. */
export function settingsDocuments(): Record<string, string> {
  const settings = listSettings();
  return { 'docs/configuration.md': configurationPage(settings), '.env.example': exampleFile(settings) };
}
