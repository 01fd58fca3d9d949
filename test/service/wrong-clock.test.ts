import t, { type Test } from 'tap'
import { until } from './fixture.ts'
import { comingMorningMs } from './fixtures/coming-morning.ts'
import { Computer, isUnmoved, type Sold } from './fixtures/computer.ts'

const DAY_MS = 86_400_000
const HELD = 1_000

/** One sale that is filled, on a service with a right clock, in the middle of a day. */
async function sold(t: Test): Promise<Sold & { readonly computer: Computer }> {
  const computer = new Computer(t, { rightMs: comingMorningMs(Date.now()) - Date.now() })
  await computer.start()
  const first = await until(
    () => computer.sell('first'),
    ({ status }) => status === 200,
  )
  const left = HELD - 100
  await until(
    () => computer.volume(),
    (volume) => volume === left,
  )
  return { computer, first, left }
}

t.test('F17 a service whose clock is wrong for seconds changes no key, list or day', async (t) => {
  const { computer, ...before } = await sold(t)
  for (const skewMs of [4 * DAY_MS, -4 * DAY_MS]) {
    computer.wrongMs = skewMs
    await computer.untilHeld(true)
    await isUnmoved(t, computer, before)
    const { status, body } = await computer.buy(`buy${skewMs}`)
    t.match({ status, code: body['code'] }, { status: 409, code: 'KILL_SWITCH' })
    computer.wrongMs = 0
    await computer.untilHeld(false)
    await isUnmoved(t, computer, before)
  }
  t.equal((await computer.buy('right-again')).status, 201)
})

t.test(
  'F17 a service that starts with a wrong clock, and goes on with the right one',
  async (t) => {
    const { computer, ...before } = await sold(t)
    for (const skewMs of [4 * DAY_MS, -4 * DAY_MS]) {
      await computer.stop()
      computer.wrongMs = skewMs
      await computer.start()
      await computer.untilHeld(true)
      await until(
        () => computer.volume(),
        (volume) => volume === before.left,
      )
      await isUnmoved(t, computer, before)
      computer.wrongMs = 0
      await computer.untilHeld(false)
      await isUnmoved(t, computer, before)
    }
  },
)
