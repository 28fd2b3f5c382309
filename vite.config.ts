import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { reactRouter } from '@react-router/dev/vite';
import { minify } from 'terser';
import { defineConfig, type Plugin } from 'vite';
import { pageTexts } from './app/locales/texts-by-page.ts';
import { overlayFiles } from './app/overlay/overlay-files.ts';

// light-dark() must reach the browser as it is written: these are the first versions that know it.
const browsers = ['chrome125', 'edge125', 'firefox128', 'safari17.5'];

/**
 * Components that some pages share, by their files: what a bundle needs of another stands in an earlier one. Those that
 * no bundle names are in the frame that all pages load.
 */
const bundles = {
  timeline: /\/(?:components|routes)\/\w+\/(running-time|timeline)\./,
  open: /\/(?:components|routes)\/\w+\/(document-page|link-result|open-shell)\./,
  proof: /\/(?:components|routes)\/\w+\/(how-to-verify|sealed-seed)\./,
  picker: /\/(?:components|routes)\/\w+\/(affected-items|kind-picker|picker-entries|stepper|use-picker)\./,
  rules: /\/(?:components|routes)\/\w+\/(condition-lines|deletion-effects|rule-words|rules-tabs)\./,
  choices: /\/(?:components|routes)\/\w+\/(choices|pause-choice)\.|\/routes\/rules\/conditions\//,
  corrections: /\/components\/rules\/corrections\./,
  progress: /\/(?:components|routes)\/\w+\/(chances|channel-summary|condition|progress-\w+|spots)\./,
  channels: /\/routes\/channels\/(channel-card|own-progress)\./,
  account: /\/(?:components|routes)\/\w+\/(api-tokens|sessions|trade-readiness)\./,
  custody: /\/(?:components|routes)\/\w+\/(custody-table|items-tabs|metrics|pool-page|quantity-form)\./,
  filters: /\/components\/(?:forms\/filter-select|lists\/filter-fold)\./,
  dates: /\/components\/(?:dates\/|lists\/(?:exports|filtered-list))/,
  check: /\/components\/feedback\/stream-check\.|\/routes\/channel\/moderator-role\./,
  chart: /\/routes\/dashboard\/chart\./,
  plans: /\/components\/plans\//,
  guests: /\/(?:components|routes)\/\w+\/guest-table\./,
  entrance: /\/(?:components|routes)\/\w+\/(auth-shell|captcha|twitch-sign-in|verify-notice|item-tile)\./,
};

const isOurs = (id: string) =>
  /\/app\/(components|entry\.client|islands|locales|menu|root|routes\/layouts\/(verified|navigation-skeleton))/.test(
    id,
  );
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
 * Code for the router's abilities that the product never uses: React Server Components, instrumentation, prefetching
 * links, view transitions, pages without a server, loaders, actions and middleware of the browser, the scripts that only
 * a server writes, and its own pages for errors and loading, which stand behind those of app/root.tsx. A bundler cannot
 * see that these conditions never hold.
 */
const unusedInRouter: readonly (readonly [string, string])[] = [
  ['let unstable_rsc = useIsRSCRouterContext();', 'let unstable_rsc = false;'],
  ['let rsc = useIsRSCRouterContext();', 'let rsc = false;'],
  ['let isRSCRouterContext = useIsRSCRouterContext();', 'let isRSCRouterContext = false;'],
  ['if (this.context && ', 'if (false && '],
  ['if (this.context) ', 'if (false) '],
  ['RenderErrorBoundary.contextType = RSCRouterContext;', ''],
  ['isPageLinkDescriptor(link) ? ', 'false ? '],
  ['if (init.instrumentations) ', 'if (false) '],
  ['if (!viewTransitionOpts || !isViewTransitionAvailable) ', 'if (true) '],
  ['if (vtContext.isTransitioning && !vtContext.flushSync) ', 'if (false) '],
  ['if (renderDfd && pendingState && router.window) ', 'if (false) '],
  ['match.route.errorElement || defaultErrorElement', 'match.route.errorElement'],
  ['route.id === "root" ? RemixRootDefaultHydrateFallback : ', ''],
  ['if (isSpaMode) ', 'if (false) '],
  ['if (isSpaMode && ', 'if (false && '],
  ['if (!routeModule.clientLoader) ', 'if (true) '],
  ['if (!routeModule.clientAction) ', 'if (true) '],
  ['routeModule.clientLoader?.hydrate === true || ', ''],
  ['if (!route.hasClientLoader) ', 'if (true) '],
  ['if (!route.hasClientAction) ', 'if (true) '],
  ['loader: route.hasClientLoader ? ', 'loader: false ? '],
  ['action: route.hasClientAction ? ', 'action: false ? '],
  ['middleware: route.hasClientMiddleware ? ', 'middleware: false ? '],
  ['let result = hasClientLoader ? ', 'let result = false ? '],
  ['if (shouldAllowOptOut(m) && hasClientLoader) ', 'if (false) '],
  ['if (route.clientLoaderModule || route.clientActionModule) ', 'if (false) '],
  ['if (route.clientActionModule) ', 'if (false) '],
  ['if (route.clientLoaderModule) ', 'if (false) '],
  ['if (route2.clientActionModule) ', 'if (false) '],
  ['if (route2.clientLoaderModule) ', 'if (false) '],
  ['let contextScript = staticContext ? ', 'let contextScript = false ? '],
  ['let routeModulesScript = !isStatic ? ', 'let routeModulesScript = true ? '],
  ['typeof manifest.sri === "object" ? ', 'false ? '],
];

type Place = { start: number; end: number };
type Call = { type?: string; callee?: { name?: string }; arguments?: Place[] };

/** Drops what broken invariants say: it explains to a developer how to use the router. */
function withoutMessages(code: string, tree: object): string {
  const messages: Place[] = [];
  const visit = (node: object) => {
    const { type, callee, arguments: values = [] } = node as Call;
    const [condition, message] = values;
    if (type === 'CallExpression' && /^invariant\d*$/.test(callee?.name ?? '') && condition && message)
      messages.push({ start: condition.end, end: message.end });
    for (const inner of Object.values(node)) if (inner && typeof inner === 'object') visit(inner);
  };
  visit(tree);
  messages.sort((one, other) => other.start - one.start);
  return messages.reduce((text, { start, end }) => text.slice(0, start) + text.slice(end), code);
}

/**
 * The browser gets the router's own build for production. Its package names the other for bundlers, with warnings that
 * only a developer reads. It also lacks the marks by which a bundler would see that a component nobody uses can go.
 */
function routerForProduction(): Plugin {
  let hasSeenCore = false;
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
      handler(code) {
        const isCore = code.includes('function createRouter(');
        hasSeenCore ||= isCore;
        const lean = (isCore ? unusedInRouter : [])
          .reduce((text, [condition, never]) => {
            if (!text.includes(condition)) this.error(`the router has no ${condition}`);
            return text.replaceAll(condition, never);
          }, code)
          .replace(/^import (\w+) from "react";$/gm, 'import * as $1 from "react";')
          .replace(/^\w+\.displayName = "[^"]*";$/gm, '')
          .replace(/= (?=React\d*\.(?:createContext|forwardRef|memo)\()/g, '= /* @__PURE__ */ ');
        return withoutMessages(lean, this.parse(lean));
      },
    },
    buildEnd(error) {
      if (!error && !hasSeenCore) this.error('the router’s own build for production was not found');
    },
  };
}

const { resolve: pathOf } = createRequire(import.meta.url);
const reactFolder = dirname(pathOf('react/package.json'));
const reactDomFolder = dirname(pathOf('react-dom/package.json'));
const schedulerFolder = dirname(
  createRequire(join(reactDomFolder, 'index.js')).resolve('scheduler/package.json'),
);

const reactFiles: Record<string, string> = {
  react: join(reactFolder, 'cjs/react.production.js'),
  'react/jsx-runtime': join(reactFolder, 'cjs/react-jsx-runtime.production.js'),
  'react-dom': join(reactDomFolder, 'cjs/react-dom.production.js'),
  'react-dom/client': join(reactDomFolder, 'cjs/react-dom-client.production.js'),
  scheduler: join(schedulerFolder, 'cjs/scheduler.production.js'),
};

/**
 * React's packages are CommonJS: every element would be created through a lookup on an object, and every file would
 * load the bundler's bridge to such modules. The browser gets them as modules of the language.
 */
function reactAsModules(): Plugin {
  return {
    name: 'react-as-modules',
    apply: 'build',
    enforce: 'pre',
    applyToEnvironment: ({ name }) => name === 'client',
    resolveId: (id) => reactFiles[id],
    transform: {
      filter: { id: Object.values(reactFiles) },
      handler(code) {
        const imports: string[] = [];
        const names = new Set<string>();
        const body = code
          // A namespace that is assigned to a variable would be kept as a whole.
          .replace(/\b(\w+) = require\("([\w-]+)"\)/g, (_, name: string, from: string) => {
            imports.push(`import * as ${name} from '${from}';`);
            return `imported_${name} = true`;
          })
          .replace(/^exports\.(\w+) =/gm, (_, name: string) => {
            names.add(name);
            return `let exported_${name} =`;
          })
          .replace(/\bexports\.(\w+)/g, 'exported_$1');
        const exported = [...names].map((name) => `exported_${name} as ${name}`);
        return [...imports, body, `export { ${exported.join(', ')} };`].join('\n');
      },
    },
  };
}

/** Rules that the browser decides by as well; .dependency-cruiser.cjs keeps them free of imports. */
const sharedWithTheBrowser =
  /^\/domain\/(condition\/no-conditions|freeze\/freeze-choice|item\/applied-names|rule\/(low-stock|paid-draw)|transfer\/offer-size)\.ts /;
const onlyOnTheServer = /^\/(?:billing|bot|cli|db|domain|sandbox)\/|^\/app\/[^?]*\.server\.tsx? /;

/**
 * Keeps queries and whatever else is the server's out of the browser. The router removes loaders and actions with their
 * imports, so only the finished files show what a component still needs.
 */
function withoutServerModules(): Plugin {
  return {
    name: 'without-server-modules',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle(_, files) {
      const loaded = Object.values(files).flatMap((file) =>
        file.type === 'chunk'
          ? Object.entries(file.modules).flatMap(([id, { renderedLength }]) =>
              renderedLength > 0 ? `${id.slice(import.meta.dirname.length)} in ${file.fileName}` : [],
            )
          : [],
      );
      const wrong = loaded.filter((each) => onlyOnTheServer.test(each) && !sharedWithTheBrowser.test(each));
      if (wrong.length > 0) this.error(`browsers would load what is the server's: ${wrong.join(', ')}`);
    },
  };
}

/** The bundler's minifier leaves some 800 bytes of each page that a second one takes. */
function minifiedAgain(): Plugin {
  return {
    name: 'minified-again',
    apply: 'build',
    enforce: 'post',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== 'chunk') continue;
        const { code } = await minify(file.code, { ecma: 2020, module: true, compress: { passes: 3 } });
        file.code = code ?? file.code;
      }
    },
  };
}

export default defineConfig({
  plugins: [
    reactRouter(),
    pageTexts(),
    overlayFiles(),
    routerForProduction(),
    reactAsModules(),
    withoutServerModules(),
    minifiedAgain(),
  ],
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 3000), strictPort: true },
  build: { target: browsers, cssTarget: browsers },
  environments: {
    client: {
      build: {
        rolldownOptions: {
          treeshake: { manualPureFunctions: ['warning', 'warningOnce', 'warnOnce'] },
          output: { codeSplitting },
          // Signs are short texts with long names between the files.
          optimization: { inlineConst: { mode: 'all', pass: 2 } },
        },
      },
    },
    ssr: { build: { sourcemap: true } },
  },
});
