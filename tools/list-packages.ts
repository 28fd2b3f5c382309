import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { bundledPackages, installedPackages } from './shipped-packages.ts';

interface PackageList {
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
  metadata: { component: { 'bom-ref': string } };
}

// `npm sbom --omit=dev` would leave out packages that a package for development needs as well, such as React.
const options = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const list = JSON.parse(
  execFileSync('npm', options, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
) as PackageList;

const shipped = new Set(
  [...installedPackages(), ...bundledPackages()].map(([name, { version }]) => `${name}@${version}`),
);
const components = list.components.filter(({ name, version }) => shipped.has(`${name}@${version}`));
const refs = new Set([
  list.metadata.component['bom-ref'],
  ...components.map((component) => component['bom-ref']),
]);
const dependencies = list.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => refs.has(needed)) }));

writeFileSync(
  process.argv[2] ?? 'build/sbom.cdx.json',
  `${JSON.stringify({ ...list, components, dependencies }, null, 2)}\n`,
);
