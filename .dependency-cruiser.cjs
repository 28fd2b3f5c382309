// Who may import whom. The rooms and their reasons are in docs/development.md.
const rooms = '^(app|bot|cli|db|domain|sandbox|tests)/';
const room = (name, from, may, more = {}) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { path: rooms, pathNot: may, ...more },
});

module.exports = {
  forbidden: [
    room('db-imports-nothing', '^db/', '^db/'),
    room('domain-knows-db-only', '^domain/', '^(domain|db)/'),
    room('bot-knows-domain-and-db', '^bot/', '^(bot|domain|db)/'),
    room('app-knows-domain-and-db', '^app/', '^(app|domain|db)/'),
    room('sandbox-knows-itself', '^sandbox/', '^sandbox/'),
    room('cli-knows-domain-and-db', '^cli/', '^(cli|domain|db)/'),
    {
      name: 'components-are-client',
      severity: 'error',
      from: { path: '^app/components/' },
      to: { path: '^(domain|db)/|\\.server\\.', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^domain/' },
      to: { path: 'node_modules/(react|fastify|stripe|@twurple|steam|tmi)' },
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
