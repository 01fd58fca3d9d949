import t, { type Test } from 'tap'
import { type Registration, registrationSchema } from '../../src/config/account.ts'
import { loadConfig } from '../../src/config/load.ts'
import { ServiceError } from '../../src/domain/errors.ts'
import { silentLogger } from '../../src/observability/logger.ts'
import { Accounts, type AccountsOptions } from '../../src/service/accounts/accounts.ts'

const KNOWN = { account_id: 'A', qmt_path: 'C:/qmt' }
const OTHER = registrationSchema.parse({ account_id: 'B', qmt_path: 'C:/qmt' })
const CLUSTER = { node: 'g1', role: 'gateway', servers: ['nats://127.0.0.1:4222'], replicas: 1 }
const FULL = new ServiceError('DISK_FULL', 'the disk is nearly full')

/** Those of a process that has one account, on a disk with or without room. */
async function accountsOf(t: Test, file: object, disk: { mustHaveRoom(): void }) {
  const cwd = t.testdir({ 'steward.config.json': JSON.stringify(file) })
  const loaded = loadConfig({ cwd, env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { config } = loaded.value
  const system = {
    cluster: undefined,
    clock: { nowMs: () => 0 },
    rows: { take: () => 1, giveBack: () => undefined },
    stopAccount: async () => undefined,
    leaveBooks: async () => undefined,
    openMarket: async () => undefined,
  }
  const accounts = new Accounts({
    config,
    system,
    disk,
    consolePorts: new Map(),
    allowFaults: false,
    log: silentLogger,
  } as unknown as AccountsOptions)
  t.teardown(() => accounts.stop())
  await accounts.start()
  accounts.add(config.accounts.map((account, index) => [account, index] as const))
  return accounts
}

const AGAIN: Registration = registrationSchema.parse(KNOWN)
const ROOMY = { mustHaveRoom: () => undefined }

t.test('F649 an account that is there is registered again at a gateway of a cluster', async (t) => {
  const file = { accounts: [{ ...KNOWN, eligible: ['n1'] }], cluster: CLUSTER }
  const accounts = await accountsOf(t, file, ROOMY)
  t.match(await accounts.register(AGAIN), { message: /already registered/ })
  await t.rejects(accounts.register(OTHER), { code: 'VALIDATION' }, 'a new one needs its nodes')
})

t.test('F649 and on a disk that is nearly full', async (t) => {
  const full = {
    mustHaveRoom: () => {
      throw FULL
    },
  }
  const accounts = await accountsOf(t, { accounts: [KNOWN] }, full)
  t.match(await accounts.register(AGAIN), { message: /already registered/ })
  await t.rejects(accounts.register(OTHER), FULL, 'a new one is not begun')
})
