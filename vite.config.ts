import { reactRouter } from '@react-router/dev/vite';
import { defineConfig, type Plugin } from 'vite';
import { pageTexts } from './app/locales/texts-by-page.ts';

// light-dark() must reach the browser as it is written: these are the first versions that know it.
const browsers = ['chrome125', 'edge125', 'firefox128', 'safari17.5'];

/**
 * Components that some pages share, by their files: what a bundle needs of another stands in an earlier one. Those that
 * no bundle names are in the frame that all pages load.
 */
const bundles = {
  items: /\/(?:components|routes)\/\w+\/(affected-items|chances|item-art|item-facts|item-line|timeline)\./,
  proof: /\/(?:components|routes)\/\w+\/(how-to-verify|open-shell|sealed-seed)\./,
  rules: /\/(?:components|routes)\/\w+\/(condition-lines|deletion-effects|pool|rule-words|rules-tabs)\./,
  progress: /\/(?:components|routes)\/\w+\/(condition|progress-\w+|spots)\./,
  account: /\/(?:components|routes)\/\w+\/(api-tokens|sessions|trade-readiness)\./,
  custody:
    /\/(?:components|routes)\/\w+\/(custody-table|items-tabs|metrics|pool-page|quantity-form|search-field|stepper|tabs)\./,
  dates: /\/components\/(?:dates\/|forms\/filter-select|lists\/exports)/,
  chart: /\/components\/lists\/chart\./,
  guests: /\/(?:components|routes)\/\w+\/guest-table\./,
  entrance:
    /\/(?:components|routes)\/\w+\/(auth-shell|captcha|twitch-sign-in|verify-notice|link-result|document-page|item-tile)\./,
};

const isOurs = (id: string) =>
  /\/app\/(components|entry\.client|islands|locales|menu|root|routes\/layouts\/verified)/.test(id);
const isInBundle = (id: string) => Object.values(bundles).some((test) => test.test(id));

// Few files: one for what all pages need, and one for each part of the product rather than for each component.
const codeSplitting = {
  groups: [
    {
      name: 'framework',
      test: /\/node_modules\/(react|react-dom|react-router|scheduler)\//,
      priority: 30,
    },
    { name: 'frame', test: (id: string) => isOurs(id) && !isInBundle(id), priority: 20 },
    ...Object.entries(bundles).map(([name, test], place) => ({
      name,
      test,
      priority: 19 - place,
      minShareCount: 2,
    })),
  ],
};

/**
 * The browser gets the router's own build for production. Its package names the other for bundlers, with warnings that
 * only a developer reads. It also lacks the marks by which a bundler would see that a component nobody uses can go.
 */
function routerForProduction(): Plugin {
  return {
    name: 'router-for-production',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    async resolveId(id, importer, options) {
      if (id !== 'react-router' && id !== 'react-router/dom') return null;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      return found && { ...found, id: found.id.replace('/dist/development/', '/dist/production/') };
    },
    transform: {
      filter: { id: /\/react-router\/dist\/production\// },
      handler: (code) =>
        code
          .replace(/^\w+\.displayName = "[^"]*";$/gm, '')
          .replace(/= (?=React\d*\.(?:createContext|forwardRef|memo)\()/g, '= /* @__PURE__ */ '),
    },
  };
}

export default defineConfig({
  plugins: [reactRouter(), pageTexts(), routerForProduction()],
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 3000), strictPort: true },
  build: { target: browsers, cssTarget: browsers },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          output: { codeSplitting },
          // Signs are short texts with long names between the files.
          optimization: { inlineConst: { mode: 'all', pass: 2 } },
        },
      },
    },
    ssr: { build: { sourcemap: true } },
  },
});
