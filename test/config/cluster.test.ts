import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DEFAULT_TIMING } from '../../src/cluster/protocol/timing.ts'
import { timingOf } from '../../src/config/cluster-rules.ts'
import { formatEffective } from '../../src/config/effective.ts'
import { loadConfig } from '../../src/config/load.ts'
import { inEnglish } from './fixtures/in-english.ts'

const FILE = 'steward.config.json'
const SERVERS = ['tls://s1:4222', 'tls://s2:4222', 'tls://s3:4222']
const account = (fields: object = { eligible: ['n1'] }) => ({
  account_id: 'a',
  qmt_path: 'q',
  ...fields,
})
const cluster = (fields: object = {}) => ({ node: 'n1', servers: SERVERS, ...fields })
const limits = (fields: object) => ({ limits: { cluster: fields } })

const load = (t: Test, file: object) =>
  loadConfig({ cwd: t.testdir({ [FILE]: JSON.stringify(file) }), env: {} })

function problemsOf(t: Test, file: object): string[] {
  const loaded = load(t, file)
  return loaded.ok ? [] : loaded.error.map((line) => inEnglish(line.replace(`${FILE}: `, '')))
}

const FORM = 'needs the form "tls://host:4222", or "nats://host:4222" without encryption'
const SECRET = 'holds a user or a password; name a file in cluster.nkey_file instead'

const MISTAKES: readonly (readonly [file: object, message: string])[] = [
  [{ cluster: { servers: SERVERS } }, 'cluster.node: is missing'],
  [{ cluster: { node: 'n1' } }, 'cluster.servers: is missing'],
  [{ cluster: cluster({ servers: [] }) }, 'cluster.servers: must have at least 1 entries'],
  [
    { cluster: cluster({ node: 'N 1' }) },
    'cluster.node: must be 1 to 32 small letters, digits or "-", not "N 1"',
  ],
  [{ cluster: cluster({ nod: 1 }) }, 'cluster.nod: unknown key; did you mean node?'],
  ...['http://s1:4222', 's1:4222', 'tls://s1', 'tls://s1:0', 'tls://s1:70000', 'tls://:4222'].map(
    (url) =>
      [
        { cluster: cluster({ servers: [url, ...SERVERS] }) },
        `cluster.servers[0]: ${FORM}`,
      ] as const,
  ),
  // A password is not shown, whatever else is wrong with the address.
  [
    { cluster: cluster({ servers: ['tls://me:hidden@s1:4222', ...SERVERS] }) },
    `cluster.servers[0]: ${SECRET}`,
  ],
  [
    { cluster: cluster({ servers: ['me:hidden@s1', ...SERVERS] }) },
    `cluster.servers[0]: ${SECRET}`,
  ],
  [
    { cluster: cluster({ servers: [...SERVERS, 'tls://s2:4222'] }) },
    'cluster.servers[3]: repeats entry 1',
  ],
  [
    { cluster: cluster({ servers: ['tls://s1:4222', 'tls://s2:4222', 'nats://s3:4222'] }) },
    'cluster.servers: mixes tls:// and nats://; encrypt all of them or none',
  ],
  [
    { cluster: cluster({ servers: ['tls://s1:4222'] }) },
    'cluster.servers: names 1 of the 3 servers that cluster.replicas asks for; name each, so that one may fail',
  ],
  [
    { cluster: cluster({ replicas: 2 }) },
    'cluster.replicas: 2 survives no more failures than 1; choose 1, 3 or 5',
  ],
  [
    { cluster: cluster({ cert_file: 'c.pem' }) },
    'cluster.key_file: is missing; a certificate and its key belong together',
  ],
  [
    { cluster: cluster({ servers: ['nats://127.0.0.1:4222'], replicas: 1, ca_file: 'ca.pem' }) },
    'cluster.ca_file: is for encryption, but cluster.servers has nats://; write tls:// there',
  ],
  [
    { accounts: [account()] },
    'accounts[0].eligible: names nodes, but there is no section "cluster"; add it or remove this',
  ],
  [
    { accounts: [account({})], cluster: cluster() },
    'accounts[0].eligible: is empty, so no node of the cluster would run it; name those with its trading client, such as ["n1"]',
  ],
  [
    { accounts: [account({ eligible: ['n1', 'n1'] })], cluster: cluster() },
    'accounts[0].eligible[1]: repeats entry 0',
  ],
  [
    { accounts: [account()], cluster: cluster({ role: 'gateway' }) },
    'accounts[0].eligible: names this computer, but cluster.role is "gateway"; name nodes that run accounts, or make it "node"',
  ],
  [
    { market: { source: 'cluster' }, cluster: cluster({ role: 'gateway' }) },
    'market.source: is "cluster" at a gateway, which runs no account and hears no quotes; leave it out',
  ],
  [
    { accounts: [account({ eligible: ['n_1'] })], cluster: cluster() },
    'accounts[0].eligible[0]: must be 1 to 32 small letters, digits or "-", not "n_1"',
  ],
  [
    { market: { source: 'cluster' } },
    'market.source: "cluster" takes quotes of other nodes, but there is no section "cluster"; add it or name another source',
  ],
  [
    {
      accounts: [account({ driver: 'xt', eligible: ['n1'] })],
      cluster: cluster(),
      market: { source: 'cluster', quotes: 'simulated' },
    },
    'accounts[0].driver: "xt" trades real money, and market.quotes is "simulated"; set it to "real"',
  ],
  [
    limits({ quote_want_ms: 10_001 }),
    'limits.cluster.quote_want_ms: 10001 exceeds limits.cluster.quote_forget_ms, which is 10000',
  ],
  [
    limits({ lease_renew_ms: 3_000 }),
    'limits.cluster.lease_ttl_ms: at least 6 times renew, or a short outage gets healthy nodes fenced',
  ],
  [
    limits({ lease_margin_ms: 3_750 }),
    'limits.cluster.lease_margin_ms: at least twice tick, and less than a quarter of ttl',
  ],
  [
    limits({ engine_timeout_ms: 2_001 }),
    'limits.cluster.engine_timeout_ms: not above renew, or renewals pile up',
  ],
  [limits({ intent_ttl_ms: 14_000 }), 'limits.cluster.intent_ttl_ms: less than ttl minus margin'],
]

t.test('each mistake about a cluster has its path and says how to mend it', async (t) => {
  for (const [file, message] of MISTAKES) t.strictSame(problemsOf(t, file), [message], message)
})

t.test('a real account may live on the quotes of other nodes', async (t) => {
  const file = { cluster: cluster(), market: { source: 'cluster' } }
  const accounts = [account({ driver: 'xt', eligible: ['n1'] })]
  t.strictSame(problemsOf(t, { ...file, accounts }), [])
  const loaded = load(t, { ...file, accounts: [account()] })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { market, accounts: resolved } = loaded.value.config
  t.match(market, { source: 'cluster', quotes: 'real' }, 'unless it says so nothing is invented')
  t.match(resolved, [{ driver: 'paper' }])
})

t.test('times at their bounds are right', async (t) => {
  for (const fields of [
    { lease_renew_ms: 2_500 },
    { lease_margin_ms: 3_749 },
    { engine_timeout_ms: 2_000 },
    { intent_ttl_ms: 13_999 },
  ]) {
    t.strictSame(problemsOf(t, limits(fields)), [], JSON.stringify(fields))
  }
})

t.test('the times by default are those of the protocol', async (t) => {
  const loaded = load(t, {})
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  t.strictSame(timingOf(loaded.value.config.limits.cluster, 3_000), DEFAULT_TIMING)
})

t.test('without the section there is none of it among the settings', async (t) => {
  const loaded = load(t, { accounts: [account({})] })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  const { config, settings, warnings } = loaded.value
  t.equal(config.cluster, undefined)
  t.strictSame(
    settings.filter(({ path }) => path.startsWith('cluster')),
    [],
  )
  t.notMatch(warnings.join('\n'), 'cluster')
})

t.test('its files lie beside the configuration, and check prints each setting', async (t) => {
  const files = { nkey_file: 'n1.nk', ca_file: 'ca.pem', cert_file: 'c.pem', key_file: 'c.key' }
  const cwd = t.testdir({
    [FILE]: JSON.stringify({ accounts: [account()], cluster: cluster(files) }),
  })
  const loaded = loadConfig({ cwd, env: {} })
  if (!loaded.ok) throw new Error(loaded.error.join('\n'))
  for (const [name, file] of Object.entries(files)) {
    t.equal(Reflect.get(loaded.value.config.cluster ?? {}, name), join(cwd, file))
  }
  const text = formatEffective(loaded.value)
  for (const path of ['cluster.node', 'cluster.replicas', 'accounts[0].eligible']) {
    t.match(text, path)
  }
})

t.test('what is allowed but unwise is said', async (t) => {
  const warningsOf = (section: object, rest: object = {}) => {
    const loaded = load(t, { cluster: cluster({ nkey_file: 'n', ...section }), ...rest })
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.warnings.filter((line) => line.includes('cluster'))
  }
  const here = (port: number) => `nats://127.0.0.1:${port}`
  t.strictSame(warningsOf({}), [])
  t.match(warningsOf({ nkey_file: '' }), [/nkey_file is empty/])
  t.match(warningsOf({ servers: ['nats://s1:1', 'nats://s2:1', 'nats://s3:1'] }), [/clear text/])
  t.strictSame(warningsOf({ servers: [here(1), here(2), here(3)], nkey_file: '' }), [])
  t.match(warningsOf({ servers: [here(1)], replicas: 1 }), [/replicas is 1/])
  t.match(warningsOf({}, limits({ lease_ttl_ms: 13_100 })), [/lease_ttl_ms: .*all trading stops/])
  t.strictSame(warningsOf({}, limits({ lease_ttl_ms: 13_101 })), [])
  t.match(warningsOf({}, limits({ journal_waiting_max: 64 })), [/journal_waiting_max is 64/])
  t.strictSame(warningsOf({}, limits({ journal_waiting_max: 65 })), [])
  const bodies = (body_bytes_max: number) => ({ limits: { http: { body_bytes_max } } })
  t.match(warningsOf({}, bodies(786_433)), [/body_bytes_max is 786433/])
  t.strictSame(warningsOf({}, bodies(786_432)), [])
})
