// Rules for imports between rooms. The rooms and their reasons are in docs/development.md.
const rooms = '^(app|billing|bot|cli|db|domain|extension|platform|sandbox|tests|tools)/';
/** Rules that both the server and the browser decide by. */
const sharedWithTheBrowser =
  '^domain/(condition/no-conditions|freeze/freeze-choice|item/applied-names|rule/(low-stock|paid-draw)|transfer/offer-size)\\.ts$';
/** The domain's rooms from the ground up: each may import those before it, and none after. The reasons are in docs/architecture.md. */
const domainRooms = [
  'kernel',
  ...['budget', 'outbox', 'push', 'chat', 'bot', 'process', 'twitch-event', 'odd-answer'],
  ...['identity', 'plan'],
  ...['channel', 'watch-time', 'item'],
  ...['condition', 'draw', 'reward', 'rule', 'raffle'],
  ...['transfer', 'redemption', 'claim', 'custody'],
  ...['audience', 'freeze', 'subscription', 'account', 'contact', 'overlay'],
  ...['operator', 'view'],
];
const domainOrder = domainRooms.map((name, index) => ({
  name: `domain-${name}-imports-nothing-above-it`,
  severity: 'error',
  from: { path: `^domain/${name}/` },
  to: { path: '^domain/', pathNot: `^domain/(${domainRooms.slice(0, index + 1).join('|')})/` },
}));
const room = (name, from, may, more = {}) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: rooms, pathNot: may, ...more },
});

module.exports = {
  forbidden: [
    room('platform-imports-nothing', '^platform/', '^platform/'),
    room('db-imports-nothing', '^db/', '^db/'),
    room('domain-knows-db-only', '^domain/', '^(domain|db)/'),
    room('billing-knows-domain-db-and-platform', '^billing/', '^(billing|domain|db|platform)/'),
    room('bot-knows-billing-domain-db-and-platform', '^bot/', '^(bot|billing|domain|db|platform)/'),
    room('app-knows-billing-domain-db-and-platform', '^app/', '^(app|billing|domain|db|platform)/'),
    room('sandbox-knows-itself', '^sandbox/', '^sandbox/'),
    // It knows the product by its public API alone, and brings no packages.
    room('extension-knows-itself', '^extension/', '^extension/'),
    {
      name: 'extension-brings-no-packages',
      severity: 'error',
      from: { path: '^extension/' },
      to: { path: 'node_modules/' },
    },
    room(
      'cli-knows-billing-domain-db-and-platform',
      '^cli/',
      // Only the bot's room can log on to Steam.
      '^((cli|billing|domain|db|platform)/|bot/steam/try-account\\.ts$)',
    ),
    room(
      'tools-know-cli-db-and-platform',
      '^tools/',
      // A page of the documentation is made from the shapes of answers, and packages from the extension's manifest.
      '^((tools|cli|db|platform)/|(bot/(steam|twitch)|billing)/answer-shapes\\.ts$|extension/(manifest|texts/(en|ru))\\.ts$)',
    ),
    ...domainOrder,
    {
      name: 'every-room-of-the-domain-has-its-place',
      severity: 'error',
      from: {},
      to: { path: '^domain/', pathNot: `^domain/(${domainRooms.join('|')})/` },
    },
    {
      name: 'components-are-client',
      severity: 'error',
      from: { path: '^app/components/' },
      to: {
        path: '^(domain|db)/|\\.server\\.',
        pathNot: sharedWithTheBrowser,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'shared-with-the-browser',
      severity: 'error',
      from: { path: sharedWithTheBrowser },
      to: { path: '.', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nothing-imports-routes',
      severity: 'error',
      from: { path: '^app/', pathNot: '^app/routes/' },
      to: { path: '^app/routes/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: 'node_modules/(react|fastify|stripe|@twurple|steam|tmi)' },
    },
    {
      name: 'only-billing-knows-stripe',
      severity: 'error',
      from: { path: '^(app|bot|cli|db|domain|platform|sandbox)/' },
      to: { path: 'node_modules/stripe/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'passwords-are-checked',
      comment: 'What somebody chooses goes through choosePassword, which refuses what is easy to guess.',
      severity: 'error',
      from: { pathNot: '^(tests/|domain/identity/password/choose-password\\.ts$)' },
      to: { path: '^domain/identity/password/hash-password\\.ts$' },
    },
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(build|\\.react-router)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
