import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import { Witness } from '../../contract/driver.ts'
import { endingIn } from '../../contract/ends.ts'
import { resume, suspend } from '../../suspend.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'

const CALL_MS = 1_000
const BOOK = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const purchase = () =>
  orderOf({
    clientOrderId: clientOrderId(Date.now(), randomBytes(10)),
    quantity: shares(200),
    price: price(36),
  })

t.test(
  'an order that a sidecar finds when it has stood still for too long is not placed',
  { skip: process.platform === 'win32' && 'Windows has no SIGSTOP' },
  async (t) => {
    const rig = await XtRig.open({ folder: t.testdir() })
    t.teardown(() => rig.close())
    rig.terminal.tick(SH, BOOK)
    const w = new Witness(rig.driver({ callTimeoutMs: CALL_MS }))
    await w.connect()
    const { pid } = await rig.host.open(1).then(({ welcome }) => welcome)
    await suspend(pid)
    const late = w.send({ kind: 'submit', order: purchase() })
    await delay(2 * CALL_MS)
    resume(pid)
    const { outcome } = await w.answerTo('submitAnswered', late)
    t.match(outcome, { kind: 'rejected' })
    t.equal(rig.terminal.orders, 0)
    const patient = new Witness(rig.driver({ epoch: 2 }))
    await patient.connect()
    t.ok(await patient.submit(purchase()), 'and later orders are')
    t.equal(rig.terminal.orders, 1)
  },
)

t.test('an order whose end lay before it was even sent is not placed by the sidecar', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  rig.terminal.tick(SH, BOOK)
  let leftMs = 60_000
  const w = new Witness(endingIn(rig.driver(), () => leftMs))
  await w.connect()
  leftMs = -1_000 // the service was stopped between its last look and its write
  const { outcome } = await w.answerTo(
    'submitAnswered',
    w.send({ kind: 'submit', order: purchase() }),
  )
  t.match(outcome, { kind: 'rejected', message: /came after its time/ })
  t.equal(rig.terminal.orders, 0)
  leftMs = 60_000
  t.ok(await w.submit(purchase()), 'one in time is')
  t.equal(rig.terminal.orders, 1)
})

t.test(
  'F959 a computer that slept goes on with the connection of before',
  { skip: process.platform === 'win32' && 'Windows has no SIGSTOP' },
  async (t) => {
    const beats = { beatMs: 500, beatsMissedMax: 4 }
    const own = { beat_ms: beats.beatMs, beats_missed_max: beats.beatsMissedMax }
    const rig = await XtRig.open({ folder: t.testdir(), own, beats })
    t.teardown(() => rig.close())
    rig.terminal.tick(SH, BOOK)
    const w = new Witness(rig.driver())
    await w.connect()
    const { pid } = await rig.host.open(1).then(({ welcome }) => welcome)
    await suspend(pid)
    const sleepMs = 2 * beats.beatMs * beats.beatsMissedMax
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, sleepMs)
    resume(pid)
    t.ok(await w.submit(purchase()))
    t.equal(rig.terminal.sessions.length, 1)
    t.notMatch(rig.log.all.join(), /silent|has gone/)
  },
)
