import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { steadyMs } from '../../../src/runtime/steady.ts'
import { Witness } from '../../contract/driver.ts'
import { SH } from '../../drivers/fixtures/paper.ts'
import { startByHand } from '../../drivers/xt/by-hand.ts'
import { ACCOUNT, XtRig } from '../../drivers/xt/rig.ts'
import { inTime } from '../../in-time.ts'
import { NEEDS_SUSPENSION } from '../../platform.ts'
import { resume } from '../../suspend.ts'
import { until } from '../fixture.ts'
import { type BrokerCall, broker, stale } from './fixtures/broker.ts'
import type { Gated } from './fixtures/gated.process.ts'

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))
/** Long enough for a busy computer to come to the check within it. */
const LEASE_MS = 2_000
/** The owner stops so much earlier, the others wait so much longer. */
const MARGIN_MS = 1_500
const QUIET = '--disable-warning=ExperimentalWarning'

/** Words of a lease count so long. */
const UNIT_MS = 50

interface Gate {
  /** The end of its time goes with the order. */
  readonly hasEnd: boolean
  /** A later owner has come to the same sidecar. */
  readonly isFollowed?: boolean
}

/**
 * An owner is stopped between its last check and its write. Its successor takes over when the lease and both
 * margins are over; whoever was stopped goes on then. Answers what arrived at the broker, and when.
 */
async function inTheWindow(t: Test, { isWatched }: { readonly isWatched: boolean }) {
  const { port, calls, gone } = await broker(t)
  const diary = join(t.testdir(), 'diary')
  writeFileSync(diary, '')
  const node = [QUIET, fixture('window.process.ts'), diary, String(port), String(LEASE_MS)]
  const args = isWatched ? [QUIET, fixture('parent.process.ts'), process.execPath, ...node] : node
  const started = spawn(process.execPath, args, { stdio: 'ignore' })
  t.teardown(() => ended(started))
  const stopped = await until(
    async () => readFileSync(diary, 'utf8').trim().split(' ').map(Number),
    ([, untilMs]) => untilMs !== undefined,
  )
  const [pid = 0, leaseMs = 0] = stopped
  const takeOver: BrokerCall = await until(
    async () => ({ epoch: 2, atMs: steadyMs() }),
    ({ atMs }) => atMs > leaseMs + 2 * MARGIN_MS,
  )
  goOn(pid)
  await inTime(gone, 'the end of the connection')
  return { calls, takeOver }
}

/** Where it is still there: nobody else has its number so soon. */
function goOn(pid: number): void {
  try {
    resume(pid)
  } catch (error) {
    if (Reflect.get(Object(error), 'code') !== 'ESRCH') throw error
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

t.test(
  'unwatched, an owner that was stopped after its check orders beside its successor',
  NEEDS_SUSPENSION,
  async (t) => {
    const { calls, takeOver } = await inTheWindow(t, { isWatched: false })
    t.equal(stale(calls, takeOver).length, 1, 'the check bites')
  },
)

t.test(
  'watched, nothing of an owner that was stopped after its check ever arrives',
  NEEDS_SUSPENSION,
  async (t) => {
    const { calls, takeOver } = await inTheWindow(t, { isWatched: true })
    t.strictSame(stale(calls, takeOver), [])
    t.strictSame(calls, [])
  },
)

/** The same behind a sidecar, which is a process of its own; nobody watches. What became of the order, and how many arrived. */
async function behindASidecar(t: Test, { hasEnd, isFollowed = false }: Gate) {
  const folder = t.testdir()
  const hand = await startByHand(t, folder)
  const { port, token, tokenFile } = hand
  const rig = await XtRig.open({ folder, attach: { port, tokenFile } })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] })
  const diary = join(folder, 'diary')
  writeFileSync(diary, '')
  const { clientPath } = rig.terminal
  const gated = { diary, port, token, clientPath, accountId: ACCOUNT, leaseMs: LEASE_MS, hasEnd }
  const node = [QUIET, fixture('gated.process.ts'), JSON.stringify(gated satisfies Gated)]
  const started = spawn(process.execPath, node, { stdio: 'ignore' })
  t.teardown(() => ended(started))
  const said = async () => readFileSync(diary, 'utf8').trim().split(/\s+/)
  const [pid, leaseMs] = await until(said, ({ length }) => length > 1)
  if (isFollowed) await new Witness(rig.driver({ epoch: 2 })).connect()
  await until(
    async () => steadyMs(),
    (nowMs) => isFollowed || nowMs > Number(leaseMs) + UNIT_MS,
  )
  goOn(Number(pid))
  const [, , outcome] = await until(said, ({ length }) => length > 2)
  return { outcome, orders: rig.terminal.orders }
}

t.test(
  'without the end of an order a sidecar places it when its owner is none any more',
  NEEDS_SUSPENSION,
  async (t) => {
    const { outcome, orders } = await behindASidecar(t, { hasEnd: false })
    t.strictSame([outcome, orders], ['sent', 1], 'the check bites')
  },
)

t.test(
  'unwatched, a sidecar places nothing of an owner that was stopped after its check',
  NEEDS_SUSPENSION,
  async (t) => {
    const { outcome, orders } = await behindASidecar(t, { hasEnd: true })
    t.strictSame([outcome, orders], ['NOT_STARTED', 0])
  },
)

t.test(
  'unwatched, a sidecar that a successor has met places nothing of whoever was stopped',
  NEEDS_SUSPENSION,
  async (t) => {
    const { outcome, orders } = await behindASidecar(t, { hasEnd: false, isFollowed: true })
    t.strictSame([outcome, orders], ['GONE', 0])
  },
)
