import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONFIG = join(ROOT, '.dependency-cruiser.cjs')
const ROOMS = ['src', 'actors', 'http', 'bench', 'web']
/** Fewer means that the checker looked past the house: an empty check passes everything. */
const MODULES_MIN = 40

const empty = 'export {}\n'
const uses = (...paths: string[]) => paths.map((path) => `import '${path}'\n`).join('')
const usesType = (name: string, path: string) =>
  `import type { ${name} } from '${path}'\nexport type Again = ${name}\n`

/** Files that obey every rule, among them the ones that the planted violations need. */
const SOUND = {
  'src/main.ts': uses('./service/init/init-command.ts', './service/service.ts'),
  'src/service/service.ts': uses('./cluster/cluster-sight.ts'),
  'src/service/init/init-command.ts': uses('../commands/commands.ts'),
  'src/service/commands/commands.ts': uses('../cluster/cluster-sight.ts'),
  'src/service/cluster/cluster-sight.ts': uses('../doctor/probe.ts'),
  'src/service/doctor/probe.ts': uses('../access/fronts.ts'),
  'src/service/access/fronts.ts': uses('../accounts/accounts.ts'),
  'src/service/accounts/accounts.ts': uses('../threads/actor-system.ts'),
  'src/service/threads/actor-system.ts': uses(
    '../lines/owner-line.ts',
    '../../../http/sockets/server.ts',
    '../../../actors/account/account.actor.ts',
  ),
  'src/service/lines/owner-line.ts': uses('../settings/limits.ts'),
  'src/service/settings/limits.ts': uses('../backups/backup-command.ts'),
  'src/service/backups/backup-command.ts': uses('../data/data-folder.ts'),
  'src/service/data/data-folder.ts': empty,
  'src/domain/money.ts':
    "import { ok } from 'node:assert/strict'\nok(true)\nexport type Price = number\n",
  'src/domain/errors.ts': empty,
  'src/strategy/protect.ts': uses('../domain/money.ts'),
  'src/account/step.ts': uses('../strategy/protect.ts', './commands/save.ts'),
  'src/account/commands/save.ts': uses('../answers/rows.ts', '../model/state.ts'),
  'src/account/answers/rows.ts': uses('../strategies/run.ts', '../client/link.ts'),
  'src/account/strategies/run.ts': uses('../orders/door.ts'),
  'src/account/client/link.ts': uses('../orders/door.ts'),
  'src/account/orders/door.ts': uses('../turn/turn.ts'),
  'src/account/turn/turn.ts': uses('../fold/apply.ts'),
  'src/account/fold/apply.ts': uses('../model/state.ts'),
  'src/account/model/state.ts': empty,
  'src/protocol/codec.ts': uses('msgpackr', 'zod'),
  'src/protocol/driver.ts': 'export type DriverCommand = string\n',
  'src/config/schema.ts': "import 'zod'\nimport 'node:fs'\nexport type Limits = number\n",
  'src/ports/driver.port.ts': usesType('DriverCommand', '../protocol/driver.ts'),
  'src/runtime/link.ts': uses('../protocol/codec.ts', '../domain/errors.ts'),
  'src/config/rename.ts': uses('node:fs'),
  'src/config/cluster-rules.ts': uses('../cluster/protocol/timing.ts'),
  'src/cluster/protocol/timing.ts': empty,
  'src/storage/store.ts': uses('../config/rename.ts', 'lmdb'),
  'src/market/quote-board.ts': uses('../ports/driver.port.ts'),
  'src/config/fields.ts': uses('zod'),
  'src/config/drivers.ts': uses('../drivers/registry.ts'),
  'src/drivers/registry.ts': uses('./xt/registration.ts'),
  'src/drivers/xt/registration.ts': `${uses('./config.ts')}export const doctor = () => import('./doctor.ts')\n`,
  'src/drivers/xt/config.ts': uses('zod', '../../config/fields.ts'),
  'src/drivers/xt/doctor.ts': uses('node:fs'),
  'src/storage/environment.ts': uses('lmdb'),
  'src/drivers/paper/store.ts': uses('../../storage/environment.ts'),
  'src/drivers/paper/host/paper.actor.ts': uses('../store.ts', '../../../runtime/link.ts'),
  'src/cluster/local.ts': uses('node:net'),
  'src/cluster/protocol/lease.ts': uses('../../domain/errors.ts'),
  'src/cluster/nats/connect.ts': uses('@nats-io/nats-core', '../protocol/lease.ts'),
  'src/observability/logger.ts': uses('pino'),
  'actors/store/store.thread.ts': uses('../../src/storage/store.ts'),
  'actors/account/account.actor.ts': uses('../../src/account/step.ts'),
  'http/front.ts': uses('./features.ts', './sockets/server.ts', './openapi/docs.ts'),
  'http/features.ts': uses('./features/place-order.ts'),
  'http/features/place-order.ts': uses('../direct/settings.ts', '../gateway/probe.ts'),
  'http/direct/settings.ts': uses('../stream/sse.ts'),
  'http/gateway/probe.ts': uses('../desk/context.ts'),
  'http/openapi/docs.ts': uses('../answers/account.ts'),
  'http/stream/sse.ts': uses('../desk/context.ts'),
  'http/desk/context.ts': uses('../access/auth.ts', '../answers/account.ts'),
  'http/access/auth.ts': uses('../message/reply.ts', '../port/service.ts'),
  'http/answers/account.ts': uses('../message/reply.ts'),
  'http/message/reply.ts': empty,
  'http/port/service.ts': empty,
  'http/sockets/server.ts': uses(
    './socket-library.ts',
    '../desk/context.ts',
    '../../src/market/quote-board.ts',
  ),
  'http/sockets/socket-library.ts': uses('uWebSockets.js'),
  'web/console/main.ts': uses('vue', 'pinia', '../shared/read.ts'),
  'web/shared/read.ts': empty,
}

/** One violation for every rule: a file that exists for nothing else, and what it imports wrongly. */
const PLANTED: Record<string, Record<string, string>> = {
  'domain-keeps-to-its-row': { 'src/domain/bad.ts': uses('node:fs') },
  'strategy-keeps-to-its-row': { 'src/strategy/bad.ts': uses('../account/step.ts') },
  'account-keeps-to-its-row': { 'src/account/bad.ts': uses('../runtime/link.ts') },
  'account-takes-types-only': { 'src/account/bad-value.ts': uses('../protocol/codec.ts') },
  'account-commands-keeps-to-its-floor': { 'src/account/commands/bad.ts': uses('../step.ts') },
  'account-answers-keeps-to-its-floor': {
    'src/account/answers/bad.ts': uses('../commands/save.ts'),
  },
  'account-strategies-keeps-to-its-floor': {
    'src/account/strategies/bad.ts': uses('../answers/rows.ts'),
  },
  'account-client-keeps-to-its-floor': {
    'src/account/client/bad.ts': uses('../strategies/run.ts'),
  },
  'account-orders-keeps-to-its-floor': { 'src/account/orders/bad.ts': uses('../client/link.ts') },
  'account-turn-keeps-to-its-floor': { 'src/account/turn/bad.ts': uses('../orders/door.ts') },
  'account-fold-keeps-to-its-floor': { 'src/account/fold/bad.ts': uses('../turn/turn.ts') },
  'account-model-keeps-to-its-floor': { 'src/account/model/bad.ts': uses('../fold/apply.ts') },
  'account-roof-is-step-alone': { 'src/account/bad-loose.ts': uses('./model/state.ts') },
  'service-init-keeps-to-its-floor': { 'src/service/init/bad.ts': uses('../service.ts') },
  'service-commands-keeps-to-its-floor': {
    'src/service/commands/bad.ts': uses('../init/init-command.ts'),
  },
  'service-cluster-keeps-to-its-floor': {
    'src/service/cluster/bad.ts': uses('../commands/commands.ts'),
  },
  'service-doctor-keeps-to-its-floor': {
    'src/service/doctor/bad.ts': uses('../cluster/cluster-sight.ts'),
  },
  'service-access-keeps-to-its-floor': { 'src/service/access/bad.ts': uses('../doctor/probe.ts') },
  'service-metrics-keeps-to-its-floor': {
    'src/service/metrics/bad.ts': uses('../access/fronts.ts'),
  },
  'service-accounts-keeps-to-its-floor': {
    'src/service/accounts/bad.ts': uses('../access/fronts.ts'),
  },
  'service-threads-keeps-to-its-floor': {
    'src/service/threads/bad.ts': uses('../accounts/accounts.ts'),
  },
  'service-restore-keeps-to-its-floor': {
    'src/service/restore/bad.ts': uses('../threads/actor-system.ts'),
  },
  'service-lines-keeps-to-its-floor': {
    'src/service/lines/bad.ts': uses('../threads/actor-system.ts'),
  },
  'service-audit-keeps-to-its-floor': {
    'src/service/audit/bad.ts': uses('../lines/owner-line.ts'),
  },
  'service-update-keeps-to-its-floor': {
    'src/service/update/bad.ts': uses('../lines/owner-line.ts'),
  },
  'service-settings-keeps-to-its-floor': {
    'src/service/settings/bad.ts': uses('../lines/owner-line.ts'),
  },
  'service-backups-keeps-to-its-floor': {
    'src/service/backups/bad.ts': uses('../settings/limits.ts'),
  },
  'service-data-keeps-to-its-floor': {
    'src/service/data/bad.ts': uses('../backups/backup-command.ts'),
  },
  'service-process-keeps-to-its-floor': {
    'src/service/process/bad.ts': uses('../data/data-folder.ts'),
  },
  'service-calendar-keeps-to-its-floor': {
    'src/service/calendar/bad.ts': uses('../data/data-folder.ts'),
  },
  'service-watchdog-keeps-to-its-floor': {
    'src/service/watchdog/bad.ts': uses('../data/data-folder.ts'),
  },
  'service-roof-is-service-alone': {
    'src/service/bad-loose.ts': uses('./data/data-folder.ts'),
  },
  'http-features-keeps-to-its-floor': { 'http/features/bad.ts': uses('../sockets/server.ts') },
  'http-sockets-keeps-to-its-floor': {
    'http/sockets/bad.ts': uses('../features/place-order.ts'),
  },
  'http-direct-keeps-to-its-floor': { 'http/direct/bad.ts': uses('../gateway/probe.ts') },
  'http-gateway-keeps-to-its-floor': { 'http/gateway/bad.ts': uses('../direct/settings.ts') },
  'http-openapi-keeps-to-its-floor': { 'http/openapi/bad.ts': uses('../gateway/probe.ts') },
  'http-stream-keeps-to-its-floor': { 'http/stream/bad.ts': uses('../direct/settings.ts') },
  'http-desk-keeps-to-its-floor': { 'http/desk/bad.ts': uses('../stream/sse.ts') },
  'http-access-keeps-to-its-floor': { 'http/access/bad.ts': uses('../answers/account.ts') },
  'http-answers-keeps-to-its-floor': { 'http/answers/bad.ts': uses('../access/auth.ts') },
  'http-message-keeps-to-its-floor': { 'http/message/bad.ts': uses('../port/service.ts') },
  'http-port-keeps-to-its-floor': { 'http/port/bad.ts': uses('../message/reply.ts') },
  'http-roof-is-front-and-features-alone': {
    'http/bad-loose.ts': uses('./port/service.ts'),
  },
  'protocol-keeps-to-its-row': { 'src/protocol/bad.ts': uses('../storage/store.ts') },
  'config-keeps-to-its-row': { 'src/config/bad.ts': uses('../runtime/link.ts') },
  'ports-keeps-to-its-row': { 'src/ports/bad.ts': uses('../config/schema.ts') },
  'ports-takes-types-only': { 'src/ports/bad-value.ts': uses('../protocol/codec.ts') },
  'runtime-keeps-to-its-row': {
    'src/runtime/bad.ts': usesType('Price', '../domain/money.ts'),
  },
  'runtime-takes-types-only': { 'src/runtime/bad-value.ts': uses('../config/schema.ts') },
  'storage-keeps-to-its-row': { 'src/storage/bad.ts': uses('../account/step.ts') },
  'market-keeps-to-its-row': { 'src/market/bad.ts': uses('../storage/store.ts') },
  'market-takes-types-only': { 'src/market/bad-value.ts': uses('../config/schema.ts') },
  'drivers-keeps-to-its-row': { 'src/drivers/bad.ts': uses('./paper/host/paper.actor.ts') },
  'driver-hosts-keeps-to-its-row': {
    'src/drivers/paper/host/bad.ts': uses('../../../config/schema.ts'),
  },
  'registrations-are-light': { 'src/drivers/paper/registration.ts': uses('./store.ts') },
  'cluster-keeps-to-its-row': { 'src/cluster/bad.ts': uses('zod') },
  'cluster-takes-types-only': { 'src/cluster/bad-value.ts': uses('../config/schema.ts') },
  'jobs-keeps-to-its-row': { 'src/jobs/bad.ts': uses('node:fs') },
  'jobs-takes-types-only': { 'src/jobs/bad-value.ts': uses('../protocol/codec.ts') },
  'cluster-protocol-keeps-to-its-row': { 'src/cluster/protocol/bad.ts': uses('node:fs') },
  '@nats-io-has-one-door': { 'src/cluster/second-door.ts': uses('@nats-io/nats-core') },
  'prom-client-has-one-door': { 'src/service/metrics/second.ts': uses('prom-client') },
  'pinyin-pro-has-one-door': { 'actors/market/spoken.ts': uses('pinyin-pro') },
  'piscina-has-one-door': { 'actors/market/second-door.ts': uses('piscina') },
  'workers-of-the-pool-hold-no-native-handle': {
    'actors/pool/bad.worker.ts': uses('../store/store.thread.ts'),
  },
  'observability-keeps-to-its-row': { 'src/observability/bad.ts': uses('../runtime/link.ts') },
  'observability-takes-types-only': {
    'src/observability/bad-value.ts': uses('../config/schema.ts'),
  },
  'actors-keeps-to-its-row': { 'actors/market/bad.ts': uses('../../http/sockets/server.ts') },
  'http-keeps-to-its-row': { 'http/bad.ts': uses('../actors/store/store.thread.ts') },
  'web-keeps-to-its-row': { 'web/console/bad.ts': uses('../../src/domain/money.ts') },
  'nobody-imports-the-pages': { 'http/bad-page.ts': uses('../web/shared/read.ts') },
  'uWebSockets.js-has-one-door': { 'http/second-door.ts': uses('uWebSockets.js') },
  'msgpackr-has-one-door': { 'src/protocol/second-door.ts': uses('msgpackr') },
  'lmdb-has-one-door': { 'src/drivers/second-door.ts': uses('lmdb') },
  'pino-has-one-door': { 'src/main.second.ts': uses('pino') },
  'main-wires-only-the-house': { 'src/service/data/bad-zod.ts': uses('zod') },
  'nobody-imports-main': { 'src/bad-main.ts': uses('./service/service.ts') },
  'account-threads-hold-no-native-handle': {
    'actors/account/bad.ts': uses('../store/store.thread.ts'),
  },
  'http-of-node-on-demand': {
    'http/early.ts': "import { request } from 'node:http'\nrequest('')\n",
  },
  'threads-never-reach-uws': { 'src/bad.thread.ts': uses('../http/sockets/server.ts') },
  'no-cycles': {
    'src/domain/chicken.ts': uses('./egg.ts'),
    'src/domain/egg.ts': uses('./chicken.ts'),
  },
  'every-import-exists': { 'src/main.missing.ts': uses('./nowhere.ts') },
  'nothing-from-tests-or-tools': { 'bench/tested.ts': uses('../test/some.ts') },
}

async function inspect(baseDir: string, rooms: string[]): Promise<ICruiseResult> {
  const options: ICruiseOptions = { ...(await extractDepcruiseOptions(CONFIG)), baseDir }
  const { output } = await cruise(rooms, { ...options, validate: true })
  if (typeof output === 'string') throw new Error(output)
  return output
}

const rulesIn = (result: ICruiseResult) =>
  new Set(result.summary.violations.map(({ rule }) => rule.name))

t.test('the house keeps every rule of the import table', async (t) => {
  const result = await inspect(ROOT, ROOMS)
  const broken = result.summary.violations.map(
    ({ rule, from, to }) => `${rule.name}: ${from} → ${to}`,
  )
  t.strictSame(broken, [])
  t.ok(result.summary.totalCruised > MODULES_MIN, `saw ${result.summary.totalCruised} modules`)
})

t.test('every room of src has its row', async (t) => {
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'service')
    .map(({ name }) => `${name}-keeps-to-its-row`)
  t.ok(rooms.length > 0)
  t.strictSame(
    rooms.filter((rule) => !(rule in PLANTED)),
    [],
  )
})

t.test('a sound house passes', async (t) => {
  const result = await inspect(t.testdir(tree(SOUND)), ['src', 'actors', 'http'])
  t.strictSame([...rulesIn(result)], [])
  t.ok(result.summary.totalCruised >= Object.keys(SOUND).length)
})

t.test('every rule catches the violation planted for it', async (t) => {
  const options = await extractDepcruiseOptions(CONFIG)
  const names = options.ruleSet?.forbidden?.map(({ name }) => name) ?? []
  t.strictSame(Object.keys(PLANTED).sort(), names.sort(), 'one plant a rule')

  const files = Object.assign({}, SOUND, { 'test/some.ts': empty }, ...Object.values(PLANTED))
  const result = await inspect(t.testdir(tree(files)), ROOMS)
  for (const [rule, plant] of Object.entries(PLANTED)) {
    const sites = result.summary.violations.filter((found) => found.rule.name === rule)
    t.ok(
      sites.some(({ from }) => from in plant),
      `${rule} is caught in ${Object.keys(plant).join(', ')}`,
    )
  }
})

type Tree = { [name: string]: string | Tree }

/** Paths as nested folders, the shape that `t.testdir` writes. */
function tree(files: Record<string, string>): Tree {
  const root: Tree = {}
  for (const [path, content] of Object.entries(files)) {
    const names = path.split('/')
    const folder = names.slice(0, -1).reduce<Tree>((at, name) => {
      at[name] ??= {}
      return at[name] as Tree
    }, root)
    folder[names.at(-1) ?? path] = content
  }
  return root
}
