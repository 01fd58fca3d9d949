import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import t from 'tap'
import { clientOrderId } from '../../../src/domain/ids.ts'
import { Witness } from '../../contract/driver.ts'
import { orderOf, price, shares } from '../fixtures/paper.ts'
import { isOrder, type Mischief } from './proxy.ts'
import { type GatewayRig, openGateway } from './rig.ts'

interface Step {
  readonly name: string
  /** What meets the first request of this kind. */
  readonly method: 'POST' | 'DELETE'
  readonly mischief: (end: () => Promise<void>) => Mischief
  /** Whether the gateway has the order when it comes back. */
  readonly isThere: boolean
}

const held = (end: () => Promise<void>): Mischief => ({ kind: 'hold', until: end() })
const STEPS: readonly Step[] = [
  { name: 'before the request', method: 'POST', mischief: held, isThere: false },
  {
    name: 'before the answer',
    method: 'POST',
    mischief: (end) => ({ kind: 'lose', before: end }),
    isThere: true,
  },
  { name: 'in its cancel', method: 'DELETE', mischief: held, isThere: true },
  {
    name: 'before the answer to its cancel',
    method: 'DELETE',
    mischief: (end) => ({ kind: 'lose', before: end }),
    isThere: true,
  },
]

/** The gateway ends there once; resolves when it has. */
function endingAt({ peer, proxy }: GatewayRig, { method, mischief }: Step): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const end = async (): Promise<void> => {
    await peer.stopFront()
    await peer.stopAccount()
    ended.resolve()
  }
  proxy.mischief = (request) => {
    if (method === 'POST' ? !isOrder(request) : request.method !== method) return undefined
    proxy.mischief = () => undefined
    return mischief(end)
  }
  return ended.promise
}

async function untilClear(w: Witness): Promise<void> {
  for (;;) {
    const { result } = await w.answerTo('barrierAnswered', w.send({ kind: 'barrier' }))
    if (result.ok) return
  }
}

t.test('F104 the other gateway ends at a step of an order', async (t) => {
  const folder = t.testdir()
  for (const [index, step] of STEPS.entries()) {
    const rig = await openGateway(join(folder, String(index)))
    const w = new Witness(rig.driver)
    await w.connect()
    const ended = endingAt(rig, step)
    const key = clientOrderId(Date.now(), randomBytes(10))
    const order = orderOf({ clientOrderId: key, quantity: shares(100), price: price(9.5) })
    const callId = w.send({ kind: 'submit', order })
    if (step.method === 'DELETE') {
      const { outcome } = await w.answerTo('submitAnswered', callId)
      if (outcome.kind === 'accepted') w.send({ kind: 'cancel', orderId: outcome.orderId })
    }
    await ended
    await w.until('disconnected')
    await rig.again()
    await w.connect()
    await untilClear(w)
    const { outcome } = await w.until('submitAnswered', (event) => event.outcome.kind !== 'unknown')
    t.equal(outcome.kind, step.isThere ? 'accepted' : 'rejected', step.name)
    const { rows } = await w.rows('orders')
    t.strictSame(
      rows.map((row) => 'clientOrderId' in row && row.clientOrderId),
      step.isThere ? [key] : [],
      `${step.name}: once, or not at all`,
    )
    await rig.close()
  }
})
