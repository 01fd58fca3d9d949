import t from 'tap'
import { SETTINGS, SH } from '../drivers/fixtures/paper.ts'
import { PaperRig } from '../drivers/fixtures/paper-rig.ts'
import { driverContract } from './driver.ts'

driverContract(t, async () => {
  const [first] = SETTINGS.positions
  if (first === undefined) throw new Error('no position')
  const positions = [{ ...first, volume: 1_000, available: 1_000 }]
  const rig = new PaperRig(t.testdir(), { ...SETTINGS, positions })
  const tick = async ({ bid, ask }: { bid: number; ask: number }) => {
    rig.market.tick(SH, { last: ask, lastClose: 10, ask: [[ask, 9_000]], bid: [[bid, 9_000]] })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await tick({ bid: 9.99, ask: 10 })
  const driver = rig.driver()
  return { driver, code: SH, tick, close: () => rig.close() }
})
