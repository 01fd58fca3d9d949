import t from 'tap'
import { registrationSchema } from '../../src/config/account.ts'
import { loadConfig } from '../../src/config/load.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { type LogFields, silentLogger } from '../../src/observability/logger.ts'
import { Accounts, type AccountsOptions } from '../../src/service/accounts.ts'
import { encodeShared } from '../../src/service/shared-registrations.ts'

const LATE = new ServiceError('DEADLINE_EXCEEDED', 'the thread of the cluster did not answer')
const ROOM = 2
const FILE = {
  limits: { accounts_max: ROOM },
  cluster: { node: 'n1', servers: ['nats://127.0.0.1:4222'], replicas: 1 },
  market: { source: 'simulated' },
  accounts: [],
}
type Told = readonly { readonly accountId: string; readonly value: Uint8Array }[]

const sharedOf = (accountId: string, ord: number) => {
  const registration = registrationSchema.parse({
    account_id: accountId,
    qmt_path: 'C:/qmt',
    eligible: ['n1'],
  })
  return { accountId, value: encodeShared({ ord, registration }) }
}

t.test('F412 an account that cannot be left or begun keeps no other from following', async (t) => {
  const cwd = t.testdir({ 'steward.config.json': JSON.stringify(FILE) })
  const loaded = loadConfig({ cwd, env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { config } = loaded.value
  const slots = Array.from({ length: ROOM }, (_, i) => i + 1)
  const said: LogFields[] = []
  let tell: (all: Told) => void = () => undefined
  const cluster = {
    node: 'n1',
    follow: (listener: typeof tell) => {
      tell = listener
    },
    ask: async ({ kind, accountId }: { readonly kind: string; readonly accountId: string }) => {
      if (kind === 'leave' && accountId === 'A') throw LATE
      return null
    },
    listen: () => () => undefined,
    lineTo: () => ({ ask: () => Promise.reject(LATE) }),
  }
  const system = {
    cluster,
    clock: { nowMs: () => 0 },
    rows: { take: () => slots.pop(), giveBack: (slot: number) => void slots.push(slot) },
    stopAccount: async () => undefined,
    leaveBooks: async () => undefined,
    records: async ({ kind }: { readonly kind: string }) => (kind === 'list' ? [] : null),
    openMarket: async () => undefined,
  }
  const accounts = new Accounts({
    config,
    system,
    soundness: { ofAccount: async () => LATE },
    consolePorts: new Map(),
    allowFaults: false,
    log: { ...silentLogger, error: (fields: LogFields) => void said.push(fields) },
  } as unknown as AccountsOptions)
  t.teardown(() => accounts.stop())
  const ids = () => accounts.accounts().map(({ accountId }) => accountId)
  const settled = () => accounts.unregister('nobody').catch(() => undefined)
  await accounts.recall()
  await accounts.start()
  tell([sharedOf('A', 1), sharedOf('B', 2), sharedOf('C', 3)])
  await settled()
  t.strictSame(ids(), ['A', 'B'], 'there is no room for a third one')
  tell([sharedOf('C', 3), sharedOf('D', 4)])
  await settled()
  t.strictSame(ids(), ['C', 'D'], 'B went on being traded, unregistered')
  t.match(said, [
    { alert: 'account_not_started', account: 'C' },
    { alert: 'account_not_left', account: 'A', err: LATE },
  ])
})
