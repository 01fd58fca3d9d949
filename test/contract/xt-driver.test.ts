import t from 'tap'
import { SETTINGS, SH } from '../drivers/fixtures/paper.ts'
import { XtRig } from '../drivers/xt/rig.ts'
import { driverContract } from './driver.ts'

driverContract(t, async () => {
  const [first] = SETTINGS.positions
  if (first === undefined) throw new Error('no position')
  const positions = [{ ...first, volume: 1_000, available: 1_000 }]
  const rig = await XtRig.open({ folder: t.testdir(), settings: { ...SETTINGS, positions } })
  const tick = async ({ bid, ask }: { bid: number; ask: number }) => {
    const book = { last: ask, lastClose: 10, ask: [[ask, 9_000]], bid: [[bid, 9_000]] } as const
    rig.terminal.tick(SH, book)
  }
  await tick({ bid: 9.99, ask: 10 })
  return { driver: rig.driver(), code: SH, tick, close: () => rig.close() }
})
