import t, { type Test } from 'tap'
import { type Registration, registrationSchema } from '../../src/config/account.ts'
import { loadConfig } from '../../src/config/load.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { type LogFields, silentLogger } from '../../src/observability/logger.ts'
import { Accounts, type AccountsOptions } from '../../src/service/accounts.ts'
import { encodeShared } from '../../src/service/shared-registrations.ts'

const LATE = new ServiceError('DEADLINE_EXCEEDED', 'the thread of the cluster did not answer')
const FILE = {
  limits: { accounts_max: 4, cluster: { lease_renew_ms: 200, engine_timeout_ms: 200 } },
  cluster: { node: 'n1', servers: ['nats://127.0.0.1:4222'], replicas: 1 },
  market: { source: 'simulated' },
  accounts: [],
}
const asked = (accountId: string): Registration =>
  registrationSchema.parse({ account_id: accountId, qmt_path: 'C:/qmt', eligible: ['n1'] })
const recordOf = (accountId: string) => encodeShared({ ord: 1, registration: asked(accountId) })

interface Request {
  readonly kind: string
  readonly accountId: string
}
type Told = readonly { readonly accountId: string; readonly value: Uint8Array }[]

/** A node on whose folder the account `kept` was registered in an earlier life. */
function open(t: Test, kept: string) {
  const cwd = t.testdir({ 'steward.config.json': JSON.stringify(FILE) })
  const loaded = loadConfig({ cwd, env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const slots = [1, 2, 3, 4]
  const said: LogFields[] = []
  let tell: (all: Told) => void = () => undefined
  const cluster = {
    node: 'n1',
    follow: (listener: typeof tell) => {
      tell = listener
    },
    ask: async ({ kind, accountId }: Request) =>
      kind === 'register' ? { is: 'registered', value: recordOf(accountId) } : null,
    listen: () => () => undefined,
    lineTo: () => ({ ask: () => Promise.reject(LATE) }),
  }
  const records = [{ key: `accounts/registered/${kept}`, value: recordOf(kept) }]
  const system = {
    cluster,
    clock: { nowMs: () => 0 },
    rows: { take: () => slots.pop(), giveBack: (slot: number) => void slots.push(slot) },
    stopAccount: async () => undefined,
    leaveBooks: async () => undefined,
    openMarket: async () => undefined,
    records: async ({ kind }: Request) => (kind === 'list' ? records : null),
  }
  const accounts = new Accounts({
    config: loaded.value.config,
    system,
    soundness: { ofAccount: async () => LATE },
    disk: { mustHaveRoom: () => undefined },
    consolePorts: new Map(),
    allowFaults: false,
    log: { ...silentLogger, error: (fields: LogFields) => void said.push(fields) },
  } as unknown as AccountsOptions)
  t.teardown(() => accounts.stop())
  return {
    accounts,
    said,
    tell: (...ids: string[]) =>
      tell(ids.map((accountId) => ({ accountId, value: recordOf(accountId) }))),
  }
}

t.test(
  'F871 while the service starts no account is unknown, registered or unregistered',
  async (t) => {
    const { accounts } = open(t, 'A')
    const early = { code: 'ACTOR_RESTARTING', message: /正在启动.*is starting/ }
    t.throws(() => accounts.find('A'), early)
    t.throws(() => accounts.accounts(), early, 'whoever stops all must not take that for none')
    await t.rejects(accounts.unregister('A'), early)
    await t.rejects(accounts.register(asked('B')), early)
    t.strictSame(accounts.known, [])
    await accounts.recall()
    t.equal(accounts.known.length, 1, 'its health can be told')
    t.match(await accounts.register(asked('A')), { message: /already registered/ })
    await t.rejects(accounts.register(asked('B')), early, 'it would be begun twice')
    const started = accounts.start() // of a node: it looks for the account for some seconds
    t.teardown(() => started)
    t.ok(accounts.find('A'))
    t.equal(accounts.find('B'), undefined)
    await accounts.unregister('A')
    t.equal(accounts.find('A'), undefined)
  },
)

t.test('F871 what another node registers while this one starts is begun once', async (t) => {
  const { accounts, said, tell } = open(t, 'A')
  await accounts.recall()
  tell('A', 'B')
  await new Promise(setImmediate)
  const started = accounts.start()
  t.teardown(() => started)
  await t.rejects(accounts.unregister('nobody'), { code: 'UNKNOWN_ACCOUNT' })
  t.strictSame(
    accounts.accounts().map(({ accountId }) => accountId),
    ['A', 'B'],
  )
  t.strictSame(said, [])
})
