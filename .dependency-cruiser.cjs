/**
 * Who may import whom: the table of ARCHITECTURE.md, one row a room.
 *
 *   may    rooms, or patterns of files, whose code it may use
 *   types  rooms of which it may use types only
 *   npm    packages it may use
 *   core   whether it may use modules of Node: the pure rooms may not, but for assertions
 *
 * Imports of types count like any other. `test/architecture/layers.test.ts` breaks every rule once.
 */
const PLAIN_WORDS = '^src/domain/(errors|ids|result)\\.ts$'
const MARKET_READ_SIDE = '^src/market/(codes|memory|quote-board)\\.ts$'
const FRAMES = '^src/cluster/frames\\.ts$'
/** What lies beneath the books of the embedded client, as beneath those of the accounts, and what outlasts a power cut. */
const DISK =
  '^src/storage/((open-)?environment\\.ts$|flushed\\.ts$|free-space\\.ts$|make-folder\\.ts$|log/)'
/** A rename that waits for virus scanners. */
const RENAME = '^src/config/rename\\.ts$'
/** Of what a driver makes the schema of its sections. */
const FIELDS = '^src/config/fields\\.ts$'
/** What a driver says of itself, and all that configurations know of it. */
const REGISTRATION = '^src/drivers/registration\\.ts$'
const REGISTRY = '^src/drivers/registry\\.ts$'
/** How texts of ours are taken apart, lengths of time are said, stocks are found in a list and tables are written for a spreadsheet: the one code that service and pages share. */
const SHARED_WORDS = '^src/domain/(csv|in-both|instrument|kill-level|span|stock-filter|token)\\.ts$'
/** Which times of a cluster fit together: the rules that the protocol relies on, told where they are configured. */
const TIMING = '^src/cluster/protocol/timing\\.ts$'
const ASSERT = '^(node:)?assert(/strict)?$'
/** The composition root: it imports everything, and nothing imports it. */
const WIRING = '^src/((main|watch)\\.ts$|service/)'
/** Modules of Node that are loaded when somebody needs them. */
const ON_DEMAND = '^src/runtime/node-http\\.ts$'
/** Deadlines that travel are of one clock. */
const STEADY = '^src/runtime/steady\\.ts$'
const OUTER = ['domain', 'ports', 'protocol']

const ROWS = {
  domain: { may: [], core: false },
  strategy: { may: ['domain'], core: false },
  account: { may: ['domain', 'strategy'], types: ['protocol', 'ports'], core: false },
  protocol: { may: ['domain'], npm: ['zod', 'msgpackr'], core: false },
  config: { may: ['domain', REGISTRY, REGISTRATION, TIMING], npm: ['zod'], core: true },
  ports: { may: ['domain'], types: ['protocol'], core: false },
  runtime: { may: ['protocol', 'ports', PLAIN_WORDS], types: ['config'], core: true },
  storage: { may: [...OUTER, RENAME], npm: ['lmdb'], core: true },
  market: { may: OUTER, types: ['config'], core: true },
  drivers: { may: [...OUTER, FRAMES, FIELDS, DISK, ON_DEMAND, STEADY], npm: ['zod'], core: true },
  'driver-hosts': {
    may: [...OUTER, 'drivers', 'runtime', 'market', 'observability'],
    core: true,
  },
  'cluster-protocol': { may: ['domain'], core: false },
  cluster: {
    may: [...OUTER, 'cluster-protocol'],
    types: ['config'],
    npm: ['@nats-io'],
    core: true,
  },
  observability: { may: OUTER, types: ['config'], npm: ['pino', 'prom-client'], core: true },
  jobs: { may: ['domain'], types: ['protocol'], core: false },
  actors: { may: ['^src/(?!main\\.ts|service/)'], npm: ['piscina', 'pinyin-pro'], core: true },
  http: {
    may: ['domain', 'protocol', 'config', 'runtime', MARKET_READ_SIDE],
    npm: ['zod', 'uWebSockets.js'],
    core: true,
  },
  web: {
    may: [SHARED_WORDS],
    npm: [
      'vue',
      'vue-router',
      'vue-i18n',
      'pinia',
      'element-plus',
      'lightweight-charts',
      'uplot',
      '@tanstack/vue-virtual',
    ],
    core: false,
  },
}

/**
 * The floors inside `src/account`, the highest first: a floor uses the ones below it and itself, never one
 * above or beside it. `step.ts` is the roof and stands alone.
 */
const ACCOUNT_FLOORS = [
  ['commands'],
  ['answers'],
  ['strategies', 'client'],
  ['orders'],
  ['turn'],
  ['fold'],
  ['model'],
]

/** The floors inside `src/service`, in the same way; `service.ts` is the roof. */
const SERVICE_FLOORS = [
  ['init'],
  ['commands'],
  ['cluster'],
  ['doctor'],
  ['access', 'metrics'],
  ['accounts'],
  ['threads', 'restore'],
  ['lines', 'audit', 'update'],
  ['settings'],
  ['backups'],
  ['data', 'process', 'calendar', 'watchdog'],
]

/** The floors inside `http`; `front.ts` and `features.ts` put them together. */
const HTTP_FLOORS = [
  ['features', 'sockets'],
  ['direct', 'gateway', 'openapi'],
  ['stream'],
  ['desk'],
  ['access', 'answers'],
  ['message', 'port'],
]

/** Packages that only the files named may import; benches measure some of them bare. */
const SINGLE_DOORS = {
  '@nats-io': ['^src/cluster/nats/', '^bench/'],
  'uWebSockets.js': ['^http/sockets/socket-library\\.ts$', '^bench/'],
  msgpackr: ['^src/protocol/codec\\.ts$', '^bench/'],
  lmdb: ['^src/storage/', '^bench/'],
  pino: ['^src/observability/'],
  'prom-client': ['^src/observability/'],
  piscina: ['^actors/pool/'],
  'pinyin-pro': ['^actors/pool/sounds\\.worker\\.ts$'],
}

const TOP_ROOMS = ['actors', 'http', 'web']
/** The threads of the drivers are shells, like those in `actors`; each lies in the folder of its driver. */
const INNER_ROOMS = {
  drivers: '^src/drivers/(?!host\\.ts$|[^/]+/host/)',
  'driver-hosts': '^src/drivers/(host\\.ts$|[^/]+/host/)',
  // Who may run an account, as pure functions; what they decide is done beside them.
  'cluster-protocol': '^src/cluster/protocol/',
  cluster: '^src/cluster/(?!protocol/)',
}
const pathOf = (room) =>
  INNER_ROOMS[room] ?? (TOP_ROOMS.includes(room) ? `^${room}/` : `^src/${room}/`)
const toPattern = (target) => (target in ROWS ? pathOf(target) : target)
const packagePath = (name) => `node_modules/${name.replaceAll('.', '\\.')}/`

const rowRules = Object.entries(ROWS).map(([room, { may, types = [], npm = [], core }]) => ({
  name: `${room}-keeps-to-its-row`,
  severity: 'error',
  from: { path: pathOf(room) },
  to: {
    pathNot: [pathOf(room), ...[...may, ...types].map(toPattern), ...npm.map(packagePath), ASSERT],
    ...(core ? { dependencyTypesNot: ['core'] } : {}),
  },
}))

const floorRulesOf = (house, floors) =>
  floors.flatMap((floor, level) =>
    floor.map((room) => ({
      name: `${house}-${room}-keeps-to-its-floor`,
      severity: 'error',
      from: { path: `${pathOf(house)}${room}/` },
      to: {
        path: pathOf(house),
        pathNot: [room, ...floors.slice(level + 1).flat()].map(
          (lower) => `${pathOf(house)}${lower}/`,
        ),
      },
    })),
  )
/** Every other file lies on a floor. */
const roofRuleOf = (house, ...roof) => ({
  name: `${house}-roof-is-${roof.join('-and-')}-alone`,
  severity: 'error',
  from: {
    path: `${pathOf(house)}[^/]+\\.ts$`,
    pathNot: roof.map((file) => `${pathOf(house)}${file}\\.ts$`),
  },
  to: {},
})

const typeRules = Object.entries(ROWS)
  .filter(([, { types = [] }]) => types.length > 0)
  .map(([room, { types }]) => ({
    name: `${room}-takes-types-only`,
    comment: `of ${types.join(', ')}`,
    severity: 'error',
    from: { path: pathOf(room) },
    to: { path: types.map(pathOf), dependencyTypesNot: ['type-only'] },
  }))

const doorRules = Object.entries(SINGLE_DOORS).map(([name, doors]) => ({
  name: `${name}-has-one-door`,
  severity: 'error',
  from: { pathNot: doors },
  to: { path: packagePath(name) },
}))

/** A configuration is read in every process and by the front: what only some thread needs must wait. */
const registrationRule = {
  name: 'registrations-are-light',
  comment: 'the rest of a driver is imported there when it is needed',
  severity: 'error',
  from: { path: '^src/drivers/([^/]+)/(config|registration)\\.ts$' },
  to: {
    pathNot: [
      pathOf('domain'),
      FIELDS,
      REGISTRATION,
      '^src/drivers/$1/config\\.ts$',
      packagePath('zod'),
    ],
    dependencyTypesNot: ['dynamic-import'],
  },
}

module.exports = {
  forbidden: [
    ...rowRules,
    ...floorRulesOf('account', ACCOUNT_FLOORS),
    roofRuleOf('account', 'step'),
    ...floorRulesOf('service', SERVICE_FLOORS),
    roofRuleOf('service', 'service'),
    ...floorRulesOf('http', HTTP_FLOORS),
    roofRuleOf('http', 'front', 'features'),
    ...typeRules,
    ...doorRules,
    registrationRule,
    {
      name: 'main-wires-only-the-house',
      severity: 'error',
      from: { path: WIRING },
      to: { pathNot: ['^(src|actors|http)/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'nobody-imports-main',
      comment: 'benches start the whole service, as a user would',
      severity: 'error',
      from: { pathNot: [WIRING, '^bench/'] },
      to: { path: WIRING },
    },
    {
      name: 'account-threads-hold-no-native-handle',
      comment:
        'they are killed at any instruction; a handle of LMDB or uWS would take the process along',
      severity: 'error',
      from: { path: '^actors/account/' },
      to: { path: ['lmdb', 'uWebSockets.js'].map(packagePath), reachable: true },
    },
    {
      name: 'threads-never-reach-uws',
      comment: 'the end of a thread that holds a uWS app aborts the process',
      severity: 'error',
      from: { path: '\\.thread\\.ts$' },
      to: { path: packagePath('uWebSockets.js'), reachable: true },
    },
    {
      name: 'workers-of-the-pool-hold-no-native-handle',
      comment: 'they are ended at any instruction, like the threads of accounts',
      severity: 'error',
      from: { path: '\\.worker\\.ts$' },
      to: { path: ['lmdb', 'uWebSockets.js'].map(packagePath), reachable: true },
    },
    {
      name: 'nobody-imports-the-pages',
      comment: 'they run in a browser, and talk to the service over HTTP like everybody else',
      severity: 'error',
      from: { pathNot: '^web/' },
      to: { path: '^web/' },
    },
    {
      name: 'http-of-node-on-demand',
      comment:
        'an import loads it in every thread that may once need it, and a second client with it',
      severity: 'error',
      from: { path: '^(src|actors|http)/', pathNot: ON_DEMAND },
      to: { path: '^(node:)?(https?|http2)$', dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'every-import-exists', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'nothing-from-tests-or-tools',
      severity: 'error',
      from: { path: '^(src|actors|http|bench|web)/' },
      to: { path: ['^test/', '^scripts/', '^bin/'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^web/dist' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.vue', '.mjs', '.js', '.json', '.css'],
    },
  },
}
