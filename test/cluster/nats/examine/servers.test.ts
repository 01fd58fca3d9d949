import t from 'tap'
import { account } from '../../../service/fixture.ts'
import { Child } from '../../../service/fixtures/child.ts'
import { deployedServers, NOT_DEPLOYABLE } from '../../fixtures/deployed.ts'
import { NO_SERVERS, natsServers } from '../../fixtures/nats-servers.ts'

/** Small: the streams of a test must fit on any disk. */
const LIMITS = { journal_mb: 64, snapshots_mb: 64 }
/** For what is answered, however busy this computer is, and for what is not. */
const PATIENT = { ...LIMITS, examine_timeout_ms: 20_000 }
const HASTY = { ...LIMITS, examine_timeout_ms: 1_000 }
const ACCOUNTS = [{ ...account('10000001', []), eligible: ['n1'] }]

const configurationOf = (cluster: object, limits: object = PATIENT): string =>
  JSON.stringify({
    accounts: ACCOUNTS,
    cluster: { node: 'n1', ...cluster },
    limits: { cluster: limits },
  })

t.test('the servers of deploy/nats are looked at whole', { skip: NOT_DEPLOYABLE }, async (t) => {
  const deployed = await deployedServers(t)
  const { servers, tls } = deployed.settingsOf('n1')
  const file = (user: string) => `${deployed.folder}/${user}.nk`
  const files = { ca_file: tls?.caFile, cert_file: tls?.certFile, key_file: tls?.keyFile }
  const folder = t.testdir({
    'n1.json': configurationOf({ servers, nkey_file: file('n1'), ...files }),
    'hasty.json': configurationOf({ servers, nkey_file: file('n1'), ...files }, HASTY),
    'gw1.json': configurationOf({
      node: 'gw1',
      role: 'gateway',
      servers,
      nkey_file: file('gw1'),
      ...files,
    }),
  })
  const cluster = (...words: string[]) => new Child(t, folder, ['cluster', ...words]).exit
  const check = (...words: string[]) => cluster('check', '--config', 'n1.json', ...words)

  const empty = await check()
  t.equal(empty.code, 1)
  t.equal(empty.stdout.filter((line) => /^fail +stream +/.test(line)).length, 6)
  t.ok(empty.stdout.some((line) => /^warn +fsync .*not verifiable/.test(line)))

  const wrong = await cluster('init', '--nkey', file('n1'), '--config', 'n1.json')
  t.equal(wrong.code, 1, 'a node may not make streams')
  for (const times of ['first', 'again']) {
    const made = await cluster('init', '--nkey', file('provisioner'), '--config', 'n1.json')
    t.match(made, { code: 0, stderr: [] }, times)
    t.equal(made.stdout.filter((line) => /^ok +stream /.test(line)).length, 6)
  }

  // Copies that have just been made follow in a moment.
  let well = await check('--operator', file('operator'))
  for (let more = 5; more > 0 && well.code !== 0; more--) {
    well = await check('--operator', file('operator'))
  }
  t.match(well, { code: 0, stderr: [] }, well.stdout.join('\n'))
  const count = (pattern: RegExp) => well.stdout.filter((line) => pattern.test(line)).length
  t.equal(count(/^ok +copies +\S+：3 份/), 6)
  t.equal(count(/^ok +fsync +s[123] sync_interval: always/), 3)
  t.equal(count(/^ok +clock /), 3)
  t.equal(count(/^ok +rights /), 1)

  const gateway = await cluster('check', '--config', 'gw1.json')
  t.match(gateway, { code: 0 }, gateway.stdout.join('\n'))

  await deployed.kill(2)
  const broken = await cluster('check', '--config', 'hasty.json', '--operator', file('operator'))
  t.equal(broken.code, 1)
  t.ok(broken.stdout.some((line) => /^fail +servers .*2 of 3 answer/.test(line)))
})

t.test('one server for a try', { skip: NO_SERVERS }, async (t) => {
  const [server] = await natsServers(t, { count: 1 })
  const url = server?.url ?? ''
  const others = ['nats://127.0.0.1:1', 'nats://127.0.0.1:2']
  const folder = t.testdir({
    'one.json': configurationOf({ servers: [url], replicas: 1 }),
    'three.json': configurationOf({ servers: [url, ...others] }),
  })
  const cluster = (verb: string, file: string, ...words: string[]) =>
    new Child(t, folder, ['cluster', verb, ...words, '--config', file]).exit

  t.match(await cluster('init', 'one.json'), { code: 0 })
  const open = await cluster('check', 'one.json')
  t.equal(open.code, 1, 'whoever comes may do anything there')
  t.ok(open.stdout.some((line) => /^fail +rights .*may what it must not/.test(line)))
  t.notOk(open.stdout.some((line) => /^fail +(stream|copies) /.test(line)))

  const wanted = await cluster('check', 'three.json')
  t.equal(wanted.code, 1)
  t.ok(wanted.stdout.some((line) => /^fail +stream .*num_replicas=1 ≠ 3/.test(line)))
  t.ok(wanted.stdout.some((line) => /^fail +copies .*1 copies where 3 are wanted/.test(line)))
  const differing = await cluster('init', 'three.json')
  t.equal(differing.code, 1, 'what is there is not changed')
})

t.test(
  'F966 servers without room for the streams are told so, and how much these take',
  { skip: NO_SERVERS },
  async (t) => {
    const [server] = await natsServers(t, { count: 1 })
    const limits = { journal_mb: 1_000_000, control_mb: 64, snapshots_mb: 64 }
    const folder = t.testdir({
      'n1.json': configurationOf({ servers: [server?.url ?? ''], replicas: 1 }, limits),
    })
    const made = await new Child(t, folder, ['cluster', 'init', '--config', 'n1.json']).exit
    t.equal(made.code, 1)
    const [told = '', mend = ''] = made.stdout.filter((line) => /room/.test(line))
    t.match(told, /^fail +streams .*have no room for the streams/)
    t.match(mend, /4000128 MiB on each server.*max_file_store.*limits\.cluster\.journal_mb/)
    t.notOk(made.stdout.some((line) => /users\.conf|leader/.test(line)))
  },
)
