import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Witness } from '../../contract/driver.ts'
import { orderOf, price, SH, shares } from '../fixtures/paper.ts'
import { XtRig } from './rig.ts'

const DEAR = { last: 36, lastClose: 35.5, bid: [[35.99, 9_000]], ask: [[36, 9_000]] } as const
const patient = () => orderOf({ quantity: shares(200), price: price(35) })
const connectOf = (witness: Witness) =>
  witness.answerTo('connectAnswered', witness.send({ kind: 'connect' }))

t.test('the sidecar remembers its owners, and tells an older one how far they were', async (t) => {
  const rig = await XtRig.open({ folder: t.testdir() })
  t.teardown(() => rig.close())
  const first = new Witness(rig.driver({ epoch: 7 }))
  await first.connect()
  rig.host.close() // and with it the sidecar
  const again = rig.anotherHost()
  t.teardown(() => again.close())
  const older = await connectOf(new Witness(rig.driver({ host: again, epoch: 3 })))
  t.match(older.result, { ok: false, error: { clientEpoch: 7 } })
  const beyond = await connectOf(new Witness(rig.driver({ host: again, epoch: 8 })))
  t.match(beyond.result, { ok: true })
})

t.test(
  'a row whose order nobody remembers here shows the end of the id that it bears',
  async (t) => {
    const folder = t.testdir()
    const rig = await XtRig.open({ folder })
    t.teardown(() => rig.close())
    rig.terminal.tick(SH, DEAR)
    const first = new Witness(rig.driver())
    await first.connect()
    const order = patient()
    await first.submit(order)
    const told = rig.log.until(/a sidecar has ended/)
    rig.host.close()
    await told
    rmSync(join(folder, 'journal'), { recursive: true })
    const again = rig.anotherHost()
    t.teardown(() => again.close())
    const next = new Witness(rig.driver({ host: again, epoch: 2 }))
    await next.connect()
    t.match((await next.rows('orders')).rows, [{ clientOrderId: order.clientOrderId.slice(-20) }])
  },
)
