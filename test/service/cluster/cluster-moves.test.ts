import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { loadConfig } from '../../../src/config/load.ts'
import type { MoveStep } from '../../../src/service/cluster/cluster-mover.ts'
import { moveAccounts } from '../../../src/service/cluster/cluster-moves.ts'
import { NO_SERVERS } from '../../cluster/fixtures/nats-servers.ts'
import { account, configFile, get, type Json, post, type Served, serve } from '../fixture.ts'
import {
  at,
  clusterServer,
  HELD,
  ID,
  LEASES,
  NODES,
  order,
  ordered,
  ordersAt,
} from '../fixtures/cluster.ts'

interface Computer {
  /** Alone: without a section `cluster`. */
  alone(): Promise<Served>
  inCluster(): Promise<Served>
  /** What the command prints of the account. It is stopped behind `at`, as by a crash. */
  move(verb: 'join' | 'leave', at?: MoveStep): Promise<string>
  leaveLost(...accounts: readonly string[]): Promise<string>
  readonly folder: string
}

/** New servers, and what makes computers on them. */
async function desk(t: Test) {
  const { url } = await clusterServer(t)
  return (name: string, root: string, role: 'node' | 'gateway' = 'node') =>
    computerOn(t, url, { node: name, role }, root)
}

function computerOn(
  t: Test,
  url: string,
  { node, role }: { readonly node: string; readonly role: 'node' | 'gateway' },
  root: string,
): Computer {
  const folder = join(root, node)
  mkdirSync(folder, { recursive: true })
  const held = account(ID, [HELD])
  const section = {
    accounts: [{ ...held, eligible: NODES }],
    cluster: { node, role, servers: [url], replicas: 1 },
    limits: { cluster: LEASES },
  }
  const move = async (asked: Parameters<typeof moveAccounts>[0]['asked'], at?: MoveStep) => {
    const file = configFile(folder, { log: { level: 'silent' }, ...section })
    const loaded = loadConfig({ cwd: folder, env: {}, options: { configFile: file } })
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    const { config } = loaded.value
    const lines: string[] = []
    const { cluster } = config
    if (cluster === undefined) throw new Error('no section')
    const onStep = (step: MoveStep) => {
      if (step === at) throw new Error(`stopped: ${step}`)
    }
    const write = (line: string) => void lines.push(line)
    const done = await moveAccounts({ config, cluster, asked, write, onStep })
    return done.ok ? lines.join('\n') : done.error
  }
  return {
    folder,
    alone: () => serve(t, { folder, overrides: { accounts: [held], limits: {} } }),
    inCluster: () => serve(t, { folder, overrides: section }),
    move: (verb, at) => move(verb === 'join' ? { verb } : { verb, isLost: false }, at),
    leaveLost: (...accounts) =>
      move({ verb: 'leave', isLost: true, ...(accounts.length > 0 && { accounts }) }),
  }
}

const pricesAt = async ({ gateway }: Served): Promise<readonly number[]> => {
  const { body } = await ordersAt(gateway)
  const orders = (body['data']?.['orders'] ?? []) as unknown as readonly Json[]
  return orders.map(({ price }) => Number(price)).sort()
}
/** What a client is told of an account that is not run. */
const refusalOf = async ({ gateway }: Served): Promise<string> => {
  const { body } = await get(`${at(gateway)}/orders`)
  return `${body['code']} ${body['message_en']}`
}

t.test(
  'F201 an account goes into a cluster and out again, with all that it was',
  { skip: NO_SERVERS },
  async (t) => {
    const computer = await desk(t)
    const a = computer('node-a', t.testdir())
    const alone = await a.alone()
    const first = await ordered(alone.gateway, 'first', 32)
    t.match(await a.move('join'), /stop/, 'not beside a service')
    await alone.service.stop()

    const early = await a.inCluster()
    t.match(await refusalOf(early), /ACCOUNT_PARKED.*steward cluster join/, 'it has a history')
    await early.service.stop()

    t.match(await a.move('join'), /^ok .*is in the cluster/)
    t.match(await a.move('join'), /^ok .*already/)
    const refused = await a.alone()
    t.match(
      await refusalOf(refused),
      /ACCOUNT_PARKED.*belongs to the cluster/,
      'F199 not alone any more',
    )
    await refused.service.stop()

    const one = await a.inCluster()
    t.same(
      (await ordered(one.gateway, 'first', 32)).body['data']?.['order_id'],
      first.body['data']?.['order_id'],
    )
    await ordered(one.gateway, 'second', 32.5)
    t.strictSame(await pricesAt(one), [32, 32.5])
    await one.service.stop()

    t.match(await a.move('leave'), /^ok .*has left/)
    t.match(await a.move('leave'), /^ok .*nothing to leave/)
    const parked = await a.inCluster()
    t.match(await refusalOf(parked), /ACCOUNT_PARKED.*has left the cluster/)
    await parked.service.stop()
    const again = await a.alone()
    t.strictSame(await pricesAt(again), [32, 32.5])
    await ordered(again.gateway, 'third', 32.7)
    await again.service.stop()

    t.match(await a.move('join'), /^ok .*is in the cluster/, 'and in once more')
    const last = await a.inCluster()
    t.strictSame(await pricesAt(last), [32, 32.5, 32.7])
  },
)

t.test(
  'F202 another computer neither runs nor takes what has left',
  { skip: NO_SERVERS },
  async (t) => {
    const computer = await desk(t)
    const root = t.testdir()
    const [a, b] = [computer('node-a', root), computer('node-b', root)]
    const one = await a.inCluster()
    await ordered(one.gateway, 'first', 32)
    const two = await b.inCluster()
    t.strictSame(await pricesAt(two), [32])
    await one.service.stop()
    await ordered(two.gateway, 'second', 32.5)
    t.match(await a.move('leave'), /^fail .*node-b runs it/, 'not while another node runs it')
    await two.service.stop()

    t.match(await a.move('leave'), /^ok .*has left/)
    const standby = await b.alone()
    t.match(
      await refusalOf(standby),
      /ACCOUNT_PARKED.*belongs to the cluster/,
      'F199 nor does its copy',
    )
    await standby.service.stop()
    t.match(await b.move('leave'), /^fail .*only that computer/)
    t.match(await b.move('join'), /^fail .*only that computer/)
    const back = await a.alone()
    // Each computer has an embedded broker of its own, which numbers its orders from the beginning.
    t.equal((await pricesAt(back)).length, 2, 'it has what the other one decided')
  },
)

t.test(
  'F201 joining that was stopped anywhere is brought to its end',
  { skip: NO_SERVERS },
  async (t) => {
    const root = t.testdir()
    for (const at of ['marked', 'handed', 'owned'] as const) {
      const computer = await desk(t)
      const a = computer('node-a', join(root, at))
      const alone = await a.alone()
      await ordered(alone.gateway, 'first', 32)
      await alone.service.stop()
      t.match(await a.move('join', at), /^fail .*stopped/, at)
      const refused = await a.alone()
      t.match(await refusalOf(refused), /ACCOUNT_PARKED/, at)
      await refused.service.stop()
      t.match(await a.move('join'), /^ok .*is in the cluster/, at)
      const one = await a.inCluster()
      t.strictSame(await pricesAt(one), [32], at)
      await one.service.stop()
    }
  },
)

t.test(
  'F202 leaving that was stopped anywhere is brought to its end',
  { skip: NO_SERVERS },
  async (t) => {
    const root = t.testdir()
    for (const at of ['owned', 'noted', 'closed'] as const) {
      const computer = await desk(t)
      const a = computer('node-a', join(root, at))
      const one = await a.inCluster()
      await ordered(one.gateway, 'first', 32)
      await one.service.stop()
      t.match(await a.move('leave', at), /^fail .*stopped/, at)
      const refused = await a.alone()
      t.match(await refusalOf(refused), /ACCOUNT_PARKED/, at)
      await refused.service.stop()
      t.match(await a.move('leave'), /^ok .*has left/, at)
      const alone = await a.alone()
      t.strictSame(await pricesAt(alone), [32], at)
      await alone.service.stop()
    }
  },
)

t.test(
  'F200 a folder that is older, or of other servers, does not come in',
  { skip: NO_SERVERS },
  async (t) => {
    const root = t.testdir()
    const [computer, elsewhere] = [await desk(t), await desk(t)]
    const [a, foreign] = [computer('node-a', root), elsewhere('node-a', root)]
    const one = await a.inCluster()
    await ordered(one.gateway, 'first', 32)
    await one.service.stop()
    const strange = await foreign.inCluster()
    t.match(await refusalOf(strange), /ACCOUNT_PARKED .*leave --force-lost/)
    await strange.service.stop()
    t.match(await foreign.move('leave'), /^fail .*belongs to the cluster/)
    t.match(await foreign.move('join'), /^fail .*belongs to the cluster/)

    t.match(await a.move('leave'), /^ok .*has left/)
    cpSync(join(a.folder, 'data'), join(root, 'old'), { recursive: true })
    t.match(await a.move('join'), /^ok /)
    const again = await a.inCluster()
    await ordered(again.gateway, 'second', 32.5)
    await again.service.stop()
    rmSync(join(a.folder, 'data'), { recursive: true, force: true })
    cpSync(join(root, 'old'), join(a.folder, 'data'), { recursive: true })
    t.match(await a.move('join'), /^fail .*node-a last/, 'it lacks what was decided since')
    const parked = await a.inCluster()
    t.match(await refusalOf(parked), /ACCOUNT_PARKED .*has left/)
  },
)

t.test(
  'F202 of servers that are lost an account gets free, and is compared before it trades',
  { skip: NO_SERVERS },
  async (t) => {
    const a = (await desk(t))('node-a', t.testdir())
    const one = await a.inCluster()
    await ordered(one.gateway, 'first', 32)
    await one.service.stop()
    t.match(await a.leaveLost(), /^ok .*compares with the broker/)
    t.match(await a.leaveLost(), /^ok .*nothing to leave/)
    const alone = await a.alone()
    t.strictSame(await pricesAt(alone), [32])
    const held = await order(alone.gateway, 'second', 32.5)
    t.not(held.status, 201, 'a person has to confirm first')
    await alone.service.stop()
    t.match(await a.move('join'), /^fail .*node-a last/, 'it does not go back to the same journal')
  },
)

t.test(
  'F368 an account that was registered at run time goes the same ways',
  { skip: NO_SERVERS },
  async (t) => {
    const id = '30000003'
    const root = t.testdir()
    const [computer, later] = [await desk(t), await desk(t)]
    const [a, b] = [computer('node-a', root), later('node-a', root)]
    const isThere = ({ gateway }: Served, key: string) => ordered(gateway, key, 32, id)
    const numberOf = async (served: Served) =>
      (await isThere(served, 'first')).body['data']?.['order_id']
    const alone = await a.alone()
    const asked = { account_id: id, qmt_path: 'C:/qmt' }
    t.equal((await post(`${alone.gateway}/api/v1/accounts`, asked)).status, 201)
    const first = await numberOf(alone)
    await alone.service.stop()

    t.match(await a.move('join'), /^ok .*is in the cluster.*\nok .*is in the cluster/)
    const one = await a.inCluster()
    t.equal(await numberOf(one), first, 'with all that it was')
    const other = await computer('node-b', root).inCluster()
    await ordersAt(other.gateway, id)
    await other.service.stop()
    await one.service.stop()

    t.match(await a.move('leave'), /^ok .*has left.*\nok .*has left/)
    const free = await a.alone()
    t.equal(await numberOf(free), first)
    await free.service.stop()

    t.match(await a.move('join'), /^ok .*is in the cluster.*\nok .*is in the cluster/)
    t.match(await a.leaveLost(ID, id), /^ok .*with the broker.*\nok .*with the broker/)
    const early = await b.inCluster()
    const next = { ...asked, account_id: '30000004' }
    t.equal((await post(`${early.gateway}/api/v1/accounts`, next)).status, 201)
    const listed = await get(`${early.gateway}/api/v1/accounts`)
    t.match(JSON.stringify(listed.body), id, 'which its servers do not know')
    await early.service.stop()
    t.match(await b.move('join'), /^ok .*is in the cluster.*\nok .*is in the cluster/)
    const last = await b.inCluster()
    await ordersAt(last.gateway, id)
    const known = await get(`${last.gateway}/api/v1/accounts`)
    t.match(JSON.stringify(known.body), id, 'and it is not forgotten')
  },
)

t.test(
  'a gateway takes no account in, not one that was registered there before either',
  { skip: NO_SERVERS },
  async (t) => {
    const computer = (await desk(t))('gw', t.testdir(), 'gateway')
    const alone = await computer.alone()
    const asked = { account_id: '30000003', qmt_path: 'C:/qmt' }
    t.equal((await post(`${alone.gateway}/api/v1/accounts`, asked)).status, 201)
    await alone.service.stop()
    t.match(await computer.move('join'), /^fail .*eligible.*\nfail .*eligible/)
  },
)
