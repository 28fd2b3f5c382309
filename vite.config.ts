import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';

// light-dark() must reach the browser as it is written: these are the first versions that know it.
const browsers = ['chrome125', 'edge125', 'firefox128', 'safari17.5'];

/** Texts of a language that travel together, by their files; the others travel alone. */
const textBundles = {
  common: ['common', 'cookie-consent', 'dashboard', 'errors', 'messages', 'shell'],
  rules: ['proof', 'rewards', 'rules'],
  account: ['identity', 'profile', 'settings'],
  channel: ['channel', 'guests'],
};

function textBundleOf(id: string): string | null {
  const [, language, file = ''] = /\/locales\/(en|ru)\/([\w-]+)\.ts$/.exec(id) ?? [];
  const bundle = Object.entries(textBundles).find(([, files]) => files.includes(file));
  return language && bundle ? `${language}-${bundle[0]}` : null;
}

// Few files: what most pages share is one, and what some share is not cut into a file per component.
const codeSplitting = {
  groups: [
    { name: textBundleOf, priority: 3 },
    { name: 'framework', test: /\/node_modules\/(react|react-dom|react-router|scheduler)\//, priority: 2 },
    {
      name: 'shared',
      test: /\/(app|domain|node_modules)\//,
      entriesAware: true,
      entriesAwareMergeThreshold: 12_000,
      minShareCount: 2,
    },
  ],
};

export default defineConfig({
  plugins: [reactRouter()],
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 3000), strictPort: true },
  build: { target: browsers, cssTarget: browsers },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting } } } },
    // The server loads what it uses of the icons, not all 1,700 modules of the package.
    ssr: { build: { sourcemap: true }, resolve: { noExternal: ['lucide-react'] } },
  },
});
