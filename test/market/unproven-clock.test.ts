import t from 'tap'
import { Computer, RULES } from './fixtures/computer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Tuesday morning at the exchange. */
const TUESDAY_MS = Date.parse('2026-08-11T10:00:00+08:00')

/** A wall that was believed while nobody spoke, as while a terminal was away. */
const believed = (jumpMs: number) =>
  new Computer(TUESDAY_MS).jump(jumpMs).pass(RULES.clockConfirmMs + 2_000)

t.test(
  'F827 a wall that was believed for want of quotes is given up for those of now',
  async (t) => {
    for (const jumpMs of [-DAY_MS, DAY_MS, HOUR_MS, -HOUR_MS]) {
      const computer = believed(jumpMs)
      t.equal(computer.errorMs, jumpMs, `${jumpMs}`)
      computer.heard = []
      for (let second = 0; second < 12; second++) computer.hear(computer.realMs - 500).pass(1_000)
      t.match(computer.heard, [
        { kind: 'led', shiftMs: -jumpMs },
        { kind: 'doubted', offMs: jumpMs },
      ])
      t.equal(computer.errorMs, 0)
      t.ok(computer.isSure, 'days go on by the quotes')
      for (let n = 0; n < 30; n++) computer.pass(60_000).hear(computer.realMs)
      t.equal(computer.errorMs, 0, 'and keep it out as ever')
      computer.jump(-jumpMs).pass(1_000)
      t.notOk(computer.isDoubted, 'until it is set right')
      t.equal(computer.errorMs, 0)
    }
  },
)

t.test('F827 one quote, or one told again and again, gives up no wall', async (t) => {
  const computer = believed(-DAY_MS).hear(TUESDAY_MS)
  const lastMs = computer.realMs
  for (let second = 0; second < 25; second++) computer.hear(lastMs).pass(1_000)
  computer.hear(lastMs + HOUR_MS).hear(lastMs, 'broker')
  t.notOk(computer.isDoubted)
  t.equal(computer.errorMs, -DAY_MS)
})

t.test('F827 a wall that a quote has proved since is no more given up', async (t) => {
  const computer = new Computer(TUESDAY_MS)
  computer.wallMs -= DAY_MS
  computer.pass(RULES.clockConfirmMs + 2_000).hear(computer.wallMs - 1_000)
  for (let second = 0; second < 25; second++) computer.hear(computer.realMs).pass(1_000)
  t.notOk(computer.isDoubted)
  t.equal(computer.marketMs, computer.wallMs)
})
