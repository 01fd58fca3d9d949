import t, { type Test } from 'tap'
import { Witness } from '../../contract/driver.ts'
import { driverOf } from '../terminal/driver-of.ts'
import { ACCOUNT, XtRig } from './rig.ts'
import type { Terminal } from './terminal.ts'

const [LOGGED_IN, WAITS_FOR_LOGIN, FAILED] = [0, 1, 3]

async function open(t: Test): Promise<{ rig: XtRig; w: Witness }> {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  return { rig, w: new Witness(rig.driver()) }
}

/** The terminal comes into a state, and says so. */
function enter(terminal: Terminal, status: number): void {
  terminal.accountState = status
  terminal.push('on_account_status', { account_id: ACCOUNT, account_type: 2, status })
}

/** Everything that was pushed before is with the sidecar once it has complained of this. */
async function taken({ terminal, log }: XtRig): Promise<void> {
  log.all.length = 0
  terminal.push('on_order_error', { account_id: ACCOUNT, order_id: 0, error_msg: 'is it there?' })
  await log.until(/order_error -: is it there/)
}

t.test(
  'F843 an account that is told to be logged out during the connect is no good one',
  async (t) => {
    const { rig, w } = await open(t)
    let isFirst = true
    rig.terminal.fault = (method) => {
      if (method !== 'asset' || !isFirst) return undefined
      isFirst = false
      enter(rig.terminal, WAITS_FOR_LOGIN)
      return { until: taken(rig) }
    }
    await t.rejects(w.connect(), { message: /账号状态 1/ })
    enter(rig.terminal, LOGGED_IN)
    await taken(rig)
    await w.connect()
    t.equal(rig.terminal.sessions.length, 1, 'and the session stands all the while')
  },
)

t.test('F843 nor does it become one by the next attempt', async (t) => {
  const { rig, w } = await open(t)
  await w.connect()
  enter(rig.terminal, FAILED)
  await w.until('disconnected')
  for (const attempt of [1, 2]) {
    await t.rejects(w.connect(), { message: /账号状态 3/ }, `attempt ${attempt}`)
  }
  rig.terminal.accountState = LOGGED_IN // without a word of it
  await w.connect()
  t.equal(rig.terminal.sessions.length, 1)
})

t.test('F843 where the state cannot be asked for, a new session is what says it', async (t) => {
  const { rig, w } = await open(t)
  const silent = [{ answer: null }, { answer: [] }]
  await w.connect()
  for (const [i, answer] of silent.entries()) {
    enter(rig.terminal, FAILED)
    await w.until('disconnected')
    w.events.length = 0
    rig.terminal.fault = (method) => (method === 'account_states' ? answer : undefined)
    await w.connect()
    t.equal(rig.terminal.sessions.length, i + 2, 'nobody is kept out for good')
  }
})

t.test('F843 nor by a terminal that never answers what the state is', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir(), own: { leaks_max: 1 } })
  t.teardown(() => rig.close())
  const { terminal } = rig
  const client = await rig.host.open(1)
  const wanted = { account_id: ACCOUNT, account_type: 'STOCK', path: terminal.clientPath }
  const connect = (timeoutMs: number) => client.call('connect', wanted, timeoutMs)
  t.match(await connect(10_000), { ok: true })
  terminal.fault = (method) => (method === 'account_states' ? 'hang' : undefined)
  for (const [i, state] of [FAILED, WAITS_FOR_LOGIN, FAILED].entries()) {
    enter(terminal, state)
    await taken(rig)
    if (i === 0) t.match(await connect(2_000), { ok: false, error: { code: 'TIMEOUT' } })
    t.match(await connect(10_000), { ok: true, value: { is_new: true } }, 'it is asked once')
  }
})

t.test('F843 what is told beside the answer to a connect counts', async (t) => {
  let tell: (event: object) => void = () => undefined
  const call = async () => {
    tell({ kind: 'account_status', status: WAITS_FOR_LOGIN })
    return { ok: true, value: {} }
  }
  const host = {
    listen: ({ event }: { event: typeof tell }) => {
      tell = event
    },
    open: async () => ({ call, welcome: { capabilities: [] } }),
  }
  const w = new Witness(driverOf(host))
  await t.rejects(w.connect(), { message: /账号状态 1/ })
})
