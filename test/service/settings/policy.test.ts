import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import { accountPolicy } from '../../../src/service/settings/policy.ts'

const FILE = 'steward.config.json'
const ACCOUNT = { account_id: 'a', qmt_path: 'q' }
const CLUSTER = { cluster: { node: 'n1', servers: ['nats://127.0.0.1:4222'], replicas: 1 } }

/** How long the configured account waits for what another computer may have begun. ms */
function formerCallsMs(t: Test, file: object): number {
  const loaded = loadConfig({ cwd: t.testdir({ [FILE]: JSON.stringify(file) }), env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { config } = loaded.value
  const [account] = config.accounts
  if (account === undefined) throw new Error('no account')
  return accountPolicy(config, account, 0).limits.formerCallsMs
}

t.test(
  'F210 what another computer may have begun is waited for in a cluster, by the times of its account',
  async (t) => {
    const eligible = ['n1']
    const cases: readonly (readonly [name: string, file: object, ms: number])[] = [
      ['one computer', { accounts: [ACCOUNT] }, 0],
      ['defaults', { ...CLUSTER, accounts: [{ ...ACCOUNT, eligible }] }, 11_500],
      [
        'calls that may take long',
        { ...CLUSTER, accounts: [{ ...ACCOUNT, eligible, call_timeout: 30 }] },
        38_500,
      ],
      [
        'lists that are far behind',
        {
          ...CLUSTER,
          accounts: [{ ...ACCOUNT, eligible }],
          limits: {
            cluster: { client_cache_ms: 60_000, intent_ttl_ms: 2_000, doubt_margin_ms: 2_000 },
          },
        },
        67_000,
      ],
    ]
    for (const [name, file, ms] of cases) t.equal(formerCallsMs(t, file), ms, name)
  },
)
