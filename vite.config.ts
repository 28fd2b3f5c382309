import { reactRouter } from '@react-router/dev/vite';
import { defineConfig } from 'vite';
import { pageTexts } from './app/locales/texts-by-page.ts';

// light-dark() must reach the browser as it is written: these are the first versions that know it.
const browsers = ['chrome125', 'edge125', 'firefox128', 'safari17.5'];

/** Components that some pages share, by how their files begin. What is not named here belongs to most pages. */
const componentBundles = {
  account: /^(api-tokens|sessions|trade-readiness|trade-link|connections)/,
  entrance: /^(auth-shell|captcha|twitch-entrance|verify-notice|link-result|document-page)/,
  items:
    /^(affected|chances|custody|guest|inventory|item-facts|items-tabs|pool|quantity|rule-|stepper|weights)/,
  progress: /^(progress|timeline|metrics|condition)/,
  proof: /^draw-proof/,
};

function componentBundleOf(id: string): string | null {
  const [, file] = /\/app\/components\/([\w-]+)\.tsx?/.exec(id) ?? [];
  if (!file) return null;
  return Object.entries(componentBundles).find(([, pattern]) => pattern.test(file))?.[0] ?? 'frame';
}

// Few files: one for what all pages need, and one for each part of the product rather than for each component.
const codeSplitting = {
  groups: [
    {
      name: 'framework',
      test: /rolldown\/runtime|\/node_modules\/(react|react-dom|react-router|scheduler)\//,
      priority: 3,
    },
    { name: (id: string) => (componentBundleOf(id) === 'frame' ? 'frame' : null), priority: 2 },
    { name: componentBundleOf, priority: 1, minShareCount: 2 },
  ],
};

export default defineConfig({
  plugins: [reactRouter(), pageTexts()],
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 3000), strictPort: true },
  build: { target: browsers, cssTarget: browsers },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting } } } },
    ssr: { build: { sourcemap: true } },
  },
});
