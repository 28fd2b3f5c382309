// For the build alone: the script and styles of overlays, compiled for the oldest browser that OBS ships.
import { createHash } from 'node:crypto';
import { buildSync } from 'esbuild';
import type { Plugin } from 'vite';
import { newerInScript, newerInStyles, OVERLAY_TARGET } from './floor.ts';

function compile(entry: string, minify: boolean): string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify,
    charset: 'utf8',
    format: 'iife',
    legalComments: 'none',
    target: OVERLAY_TARGET,
    tsconfigRaw: '{}',
  });
  return outputFiles[0]?.text ?? '';
}

/** Compiles one file for overlays. Throws if it uses what their browser does not have. */
export function compileForOverlays(entry: string): string {
  const readable = compile(entry, false);
  const newer = entry.endsWith('.css') ? newerInStyles(readable) : newerInScript(readable);
  if (newer.length > 0)
    throw new Error(`${entry} uses what ${OVERLAY_TARGET} does not have: ${newer.join(', ')}`);
  return compile(entry, true);
}

const entries = {
  OVERLAY_SCRIPT: ['overlay', 'app/overlay/main.ts', 'js'],
  OVERLAY_STYLES: ['overlay', 'app/overlay/overlay.css', 'css'],
  DOCK_STYLES: ['dock', 'app/overlay/dock.css', 'css'],
} as const;

/** Adds the files of overlays to the build, under addresses that follow from their content. */
export function overlayFiles(): Plugin {
  const files = Object.entries(entries).map(([key, [name, entry, type]]) => {
    const source = compileForOverlays(entry);
    const hash = createHash('sha256').update(source).digest('base64url').slice(0, 8);
    return { key, source, fileName: `assets/${name}-${hash}.${type}` };
  });
  return {
    name: 'overlay-files',
    // The development server has them from its start.
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = files.find(({ fileName }) => request.url === `/${fileName}`);
        if (!file) return next();
        response.setHeader('Content-Type', file.fileName.endsWith('css') ? 'text/css' : 'text/javascript');
        response.end(file.source);
      });
    },
    config: () => ({
      define: Object.fromEntries(
        files.map(({ key, fileName }) => [`import.meta.env.${key}`, JSON.stringify(`/${fileName}`)]),
      ),
    }),
    generateBundle() {
      if (this.environment.name !== 'client') return;
      for (const { fileName, source } of files) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}
