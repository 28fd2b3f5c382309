import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchNode, runtimes } from '../../tools/testing/runtimes.ts';

const programs = ['buildah', 'podman', 'mmdebstrap', 'unshare', 'nsenter'] as const;
type Program = 'buildah' | 'podman';

/** Returns what keeps this machine from building and running images; null if nothing does. */
export function whatIsMissing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  const absent = programs.filter((name) => spawnSync(name, ['--version']).status !== 0);
  return absent.length > 0 ? `this machine has no ${absent.join(', ')}` : null;
}

/** More than a process without CAP_SYS_RESOURCE may raise is podman's default. */
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

/** Buildah and podman with images of their own, in a folder, and with mounts that end with it. */
export class ImageEngine {
  readonly #folder: string;
  readonly #namespace: number;
  readonly #end: () => Promise<void>;

  private constructor(folder: string, namespace: number, end: () => Promise<void>) {
    this.#folder = folder;
    this.#namespace = namespace;
    this.#end = end;
  }

  static async start(folder: string): Promise<ImageEngine> {
    // Where a machine has both versions of cgroups, crun wants one alone.
    const script = 'umount /sys/fs/cgroup/unified 2>/dev/null; echo; exec sleep infinity';
    const holder = spawn('unshare', ['-m', '--propagation', 'private', 'sh', '-c', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    return new ImageEngine(folder, holder.pid ?? 0, async () => {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    });
  }

  async stop(): Promise<void> {
    this.run('podman', 'rm', '--all', '--force', '--time', '0');
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #within(program: Program, args: readonly string[]): SpawnSyncReturns<string> {
    const stores = ['--root', join(this.#folder, 'storage'), '--runroot', join(this.#folder, 'run')];
    return spawnSync('nsenter', ['-t', `${this.#namespace}`, '-m', program, ...stores, ...args], {
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
    });
  }

  /** Returns what the program printed. Throws with the end of its messages if it failed. */
  run(program: Program, ...args: string[]): string {
    const { status, stdout, stderr } = this.#within(program, args);
    if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}: ${stderr.slice(-2000)}`);
    return stdout.trim();
  }

  /** Runs something in a container. */
  tryInside(container: string, ...command: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = this.#within('podman', ['exec', container, ...command]);
    return { status, output: `${stdout}${stderr}`.trim() };
  }

  startContainer(name: string, image: string, ...options: string[]): void {
    this.run('podman', 'run', '--detach', '--name', name, ...limits, ...options, image);
  }

  logsOf(container: string): string {
    const { stdout, stderr } = this.#within('podman', ['logs', container]);
    return `${stdout}${stderr}`;
  }

  /** Makes what the Dockerfile's base is: Debian without documentation, with Node and npm as nodejs.org packs them. */
  makeBase(tag: string, suite: string): void {
    const debian = join(this.#folder, 'debian.tar');
    const excluded = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    execFileSync(
      'mmdebstrap',
      [
        '--quiet',
        '--variant=apt',
        '--include=tzdata,usr-is-merged',
        '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
        ...excluded,
        suite,
        debian,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const node = this.#layOutNode();
    const container = this.run('buildah', 'from', 'scratch');
    this.run('buildah', 'add', '--quiet', container, debian, '/');
    this.run('buildah', 'add', '--quiet', container, node, '/');
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    this.run('buildah', 'config', '--cmd', 'node', '--env', `PATH=${path}`, container);
    this.run('buildah', 'commit', '--quiet', '--squash', '--rm', container, tag);
    rmSync(debian);
  }

  #layOutNode(): string {
    const root = join(this.#folder, 'node');
    const local = join(root, 'usr/local');
    const packages = join(local, 'lib/node_modules');
    mkdirSync(packages, { recursive: true });
    const home = fetchNode(runtimes[24]);
    for (const part of ['bin', 'include', 'share'])
      cpSync(join(home, part), join(local, part), { recursive: true });
    rmSync(join(local, 'include/node/openssl/archs'), { recursive: true, force: true });
    const [packed = ''] = execFileSync('npm', ['pack', '--silent', 'npm@11'], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n');
    execFileSync('tar', ['-xzf', join(root, packed), '-C', packages, '--transform=s,^package,npm,']);
    rmSync(join(root, packed));
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
    execFileSync('chmod', ['-R', 'go+rX', root]);
    chmodSync(root, 0o755);
    return root;
  }

  /** Builds a target of the Dockerfile, with this machine's certificates for the registry where it has its own. */
  build(target: string, tag: string): void {
    const certificates = process.env.npm_config_cafile ?? '/etc/ssl/certs/ca-certificates.crt';
    const settings = join(this.#folder, 'npmrc');
    writeFileSync(settings, 'cafile=/tmp/certificates.crt\n');
    this.run(
      'buildah',
      'build',
      ...['--pull-never', '--layers', '--format', 'docker', '--network', 'host'],
      ...['--volume', `${certificates}:/tmp/certificates.crt:ro`],
      ...['--volume', `${settings}:/usr/local/etc/npmrc:ro`],
      ...['--target', target, '--tag', tag, resolve('.')],
    );
  }
}
