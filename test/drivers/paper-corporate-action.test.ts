import t from 'tap'
import type { CorporateAction } from '../../src/drivers/paper/corporate-action.ts'
import { Witness } from '../contract/driver.ts'
import { oneThousandShares, SH, shares } from './fixtures/paper.ts'
import { LIMITS, PaperRig } from './fixtures/paper-rig.ts'

const at = (time: string): number => Date.parse(`2026-08-12T${time}+08:00`)
const BEFORE_OPEN = at('09:00:00')
const LATE = at('14:30:00')

const rigWith = (folder: string, parts: Partial<CorporateAction>): PaperRig =>
  new PaperRig(folder, oneThousandShares(), LIMITS, undefined, [
    { code: SH, shares: 1.1, cost: 1 / 1.1, sharesFromMs: null, costFromMs: null, ...parts },
  ])
const held = async (witness: Witness) => (await witness.rows('positions')).rows

t.test('a bonus before the open is in the books once, also after a restart', async (t) => {
  const dir = t.testdir()
  const parts = { sharesFromMs: BEFORE_OPEN, costFromMs: BEFORE_OPEN }
  for (const epoch of [1, 2]) {
    const rig = rigWith(dir, parts)
    const witness = new Witness(rig.driver({ epoch }))
    rig.market.timeMs = epoch === 1 ? at('09:00:00') - 86_400_000 : at('10:00:00')
    await witness.connect()
    if (epoch === 1) {
      const [before] = await held(witness)
      t.match(before, { quantity: shares(1_000) }, 'nothing the day before')
      const { costPrice } = before as unknown as { readonly costPrice: number }
      rig.dayOpened('2026-08-12')
      t.match(await held(witness), [
        {
          quantity: shares(1_100),
          sellable: shares(1_100),
          costPrice: Math.round(costPrice / 1.1),
        },
      ])
      t.ok(
        witness.events.some(({ kind }) => kind === 'positionPushed'),
        'the account is told',
      )
    } else t.match(await held(witness), [{ quantity: shares(1_100) }])
    await rig.close()
  }
})

t.test('late in the day a tick brings it; what never comes never comes', async (t) => {
  const rig = rigWith(t.testdir(), { sharesFromMs: LATE })
  const witness = new Witness(rig.driver())
  await witness.connect()
  rig.dayOpened('2026-08-12')
  const [morning] = await held(witness)
  t.match(morning, { quantity: shares(1_000) })
  rig.market.timeMs = LATE
  rig.market.tick(SH, { last: 9.1, ask: [[9.1, 900]] })
  t.match(await held(witness), [{ ...morning, quantity: shares(1_100), sellable: shares(1_100) }])
  await rig.close()
})
