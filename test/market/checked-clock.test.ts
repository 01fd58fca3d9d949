import t from 'tap'
import type { KnownTime } from '../../src/market/checked-clock.ts'
import { Computer, RULES } from './fixtures/computer.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Tuesday morning at the exchange. */
const TUESDAY_MS = Date.parse('2026-08-11T10:00:00+08:00')
const NOON_MS = Date.parse('2026-08-11T11:30:00+08:00')
const NIGHT_MS = Date.parse('2026-08-11T15:00:00+08:00')

t.test('F17 a clock that jumps and comes back is not followed, there or back', async (t) => {
  for (const jumpMs of [4 * DAY_MS, -4 * DAY_MS, 60_000, -60_000, 30 * 365 * DAY_MS]) {
    const computer = new Computer(TUESDAY_MS).pass(60_000)
    computer.jump(jumpMs).pass(5_000)
    t.strictSame(computer.news, ['doubted'], `${jumpMs}`)
    t.equal(computer.errorMs, 0, 'the market clock goes on by itself')
    t.ok(computer.isDoubted)
    t.notOk(computer.isSure)
    computer.jump(-jumpMs).pass(5_000)
    t.strictSame(computer.news, ['returned'])
    t.equal(computer.errorMs, 0)
    t.notOk(computer.isDoubted)
  }
})

t.test(
  'F17 a clock that waits for the wall has waited enough, however long nobody looked',
  async (t) => {
    const computer = new Computer(TUESDAY_MS).pass(60_000).jump(-2_000).pass(1_000)
    t.strictSame(computer.news, ['stepped'])
    computer.passUnseen(HOUR_MS)
    t.notOk(computer.isDoubted, 'the wall was right all along')
    t.equal(computer.errorMs, -2_000, 'where the wall is')
  },
)

t.test('F17 a small jump is told and followed; back the market clock waits instead', async (t) => {
  const computer = new Computer(TUESDAY_MS).jump(1_500).pass(1_000)
  t.strictSame(computer.news, ['stepped'])
  t.equal(computer.errorMs, 1_500)
  let last = computer.marketMs
  computer.jump(-1_500)
  for (let i = 0; i < 120; i++) {
    computer.pass(1_000)
    t.ok(computer.marketMs > last, 'never back')
    last = computer.marketMs
  }
  t.strictSame(computer.news, ['stepped'])
  t.ok(Math.abs(computer.errorMs) <= 1, 'caught up')
})

t.test('F17 small jumps that add up are a large one; drift is none', async (t) => {
  const hopping = new Computer(TUESDAY_MS)
  for (let i = 0; i < 20; i++) hopping.jump(10_000).pass(1_000)
  t.ok(hopping.isDoubted)
  t.ok(hopping.errorMs <= RULES.clockStopMs)
  const drifting = new Computer(TUESDAY_MS)
  for (let i = 0; i < 3_600; i++) drifting.jump(i % 2 === 0 ? 2 : -1).pass(1_000)
  t.strictSame(drifting.news, [])
  t.ok(Math.abs(drifting.errorMs - 1_800) <= 2)
})

t.test(
  'a new reading is believed when a quote agrees with it, else when it has stood',
  async (t) => {
    const asked = new Computer(TUESDAY_MS).jump(4 * DAY_MS).pass(60_000)
    asked.hear(TUESDAY_MS).hear(TUESDAY_MS - DAY_MS)
    t.ok(asked.isDoubted, 'old quotes prove nothing')
    asked.hear(asked.wallMs - 3_000)
    t.match(asked.heard, [
      { kind: 'doubted' },
      { kind: 'accepted', by: 'quotes', offMs: 4 * DAY_MS },
    ])
    const alone = new Computer(TUESDAY_MS).jump(4 * DAY_MS).pass(RULES.clockConfirmMs - 2_000)
    t.ok(alone.isDoubted)
    alone.pass(4_000)
    t.match(alone.heard, [{ kind: 'doubted' }, { kind: 'accepted', by: 'time' }])
    const uneasy = new Computer(TUESDAY_MS).jump(4 * DAY_MS)
    for (let i = 0; i < 20; i++) uneasy.pass(60_000).jump(DAY_MS)
    t.ok(uneasy.isDoubted, 'and not as long as it goes on jumping')
  },
)

t.test('quotes that agree with the market clock keep a wrong wall out for ever', async (t) => {
  const computer = new Computer(TUESDAY_MS).jump(4 * DAY_MS)
  for (let minute = 0; minute < 60; minute++) computer.pass(60_000).hear(computer.realMs)
  t.ok(computer.isDoubted)
  t.ok(computer.isSure, 'and days go on by the quotes')
  t.equal(computer.errorMs, 0)
  computer.pass(3 * RULES.clockConfirmMs)
  t.notOk(computer.isDoubted, 'until there are none any more')
})

t.test('F757 nor does noon or night let it in, in which there are no quotes', async (t) => {
  for (const [jumpMs, untilMs] of [
    [-HOUR_MS, 1.5 * HOUR_MS],
    [HOUR_MS, 1.5 * HOUR_MS],
    [-8 * HOUR_MS, 17.5 * HOUR_MS],
  ] as const) {
    const noonMs = untilMs > 2 * HOUR_MS ? NIGHT_MS : NOON_MS
    const computer = new Computer(noonMs - HOUR_MS / 4).jump(jumpMs)
    for (let minute = 0; minute < 15; minute++) computer.pass(60_000).hear(computer.realMs)
    computer.pass(untilMs + 60_000)
    t.ok(computer.isDoubted, `${jumpMs}`)
    t.equal(computer.errorMs, 0, 'no stop waits for the session of a wrong clock')
    computer.hear(computer.realMs).pass(60_000).jump(-jumpMs).pass(1_000)
    t.notOk(computer.isDoubted, 'until it is set right')
    t.equal(computer.errorMs, 0)
  }
})

t.test('F757 a process that stood still over noon and more goes on by its quotes', async (t) => {
  const computer = new Computer(NOON_MS - HOUR_MS / 4).jump(-HOUR_MS)
  computer
    .pass(60_000)
    .hear(computer.realMs)
    .passUnseen(2 * HOUR_MS)
  t.ok(computer.isDoubted)
  t.equal(computer.errorMs, 0)
})

t.test('F789 the last quotes of a day, told again, hold no start back for longer', async (t) => {
  const known = { timeMs: NIGHT_MS + 5_000, uptimeMs: null }
  const computer = new Computer(NIGHT_MS + 18 * HOUR_MS, { known }).pass(3_000).hear(NIGHT_MS)
  t.ok(computer.isDoubted)
  computer.pass(60_000).hear(NIGHT_MS).pass(RULES.clockConfirmMs)
  t.notOk(computer.isDoubted)
  t.equal(computer.errorMs, 0, 'also where no other quote comes')
})

t.test('F789 those that go on after the close do not weaken those before it', async (t) => {
  const computer = new Computer(NIGHT_MS - 60_000).jump(-HOUR_MS)
  for (let step = 0; step < 30; step++) computer.pass(4_000).hear(computer.realMs)
  computer.pass(18 * HOUR_MS)
  t.ok(computer.isDoubted)
  t.equal(computer.errorMs, 0)
})

t.test('F17 a computer that slept shows the right time when it wakes', async (t) => {
  const counted = new Computer(TUESDAY_MS)
    .pass(10_000)
    .sleep(8 * HOUR_MS)
    .pass(1_000)
  t.strictSame(counted.news, [])
  t.notOk(counted.isDoubted)
  t.ok(Math.abs(counted.errorMs) < 1_000)
  const uncounted = new Computer(TUESDAY_MS).pass(10_000).sleep(20 * HOUR_MS, { isCounted: false })
  uncounted.pass(1_000)
  t.ok(uncounted.isDoubted)
  uncounted.hear(uncounted.realMs - 2_000)
  t.notOk(uncounted.isDoubted, 'the first quote proves it')
  t.equal(uncounted.errorMs, 0)
})

const OFF_MS = 3 * HOUR_MS
const MONDAY: KnownTime = { timeMs: TUESDAY_MS - DAY_MS + OFF_MS, uptimeMs: 50_000_000 }

t.test('a start knows what time it was: a later day must be proved', async (t) => {
  const computer = new Computer(TUESDAY_MS, { known: MONDAY })
  t.strictSame(computer.news, ['doubted'])
  t.equal(computer.marketMs, MONDAY.timeMs, 'it goes on where it was')
  computer.pass(RULES.clockSettleMs - 1_000)
  t.ok(computer.isDoubted)
  computer.pass(2_000)
  t.strictSame(computer.news, ['accepted'])
  t.equal(computer.errorMs, 0)
  const quoted = new Computer(TUESDAY_MS, { known: MONDAY }).hear(TUESDAY_MS - 1_000)
  t.notOk(quoted.isDoubted, 'or a quote says so at once')
})

t.test('F17 a start with a clock that is wrong for seconds', async (t) => {
  for (const wrongMs of [4 * DAY_MS, -4 * DAY_MS]) {
    const known = { timeMs: TUESDAY_MS - HOUR_MS, uptimeMs: 50_000_000 }
    const computer = new Computer(TUESDAY_MS, { wrongMs, known }).pass(5_000)
    t.strictSame(computer.news, ['doubted'])
    t.equal(computer.marketMs, known.timeMs + 5_000)
    computer.jump(-wrongMs).pass(1_000)
    t.notOk(computer.isDoubted, 'the same day as before: nothing to prove')
    t.equal(computer.errorMs, 0)
  }
})

t.test(
  'a start needs no proof without a past, on its own day, or as long as the computer is up',
  async (t) => {
    t.notOk(new Computer(TUESDAY_MS).isDoubted)
    const sameDay = { timeMs: TUESDAY_MS - HOUR_MS, uptimeMs: null }
    t.notOk(new Computer(TUESDAY_MS, { known: sameDay }).isDoubted)
    const up = { timeMs: TUESDAY_MS - DAY_MS, uptimeMs: 9_000_000 - DAY_MS }
    t.notOk(new Computer(TUESDAY_MS, { known: up }).isDoubted)
    t.ok(new Computer(TUESDAY_MS, { wrongMs: 4 * DAY_MS, known: up }).isDoubted)
    const saturday = Date.parse('2026-08-15T10:00:00+08:00')
    const friday = { timeMs: saturday - DAY_MS, uptimeMs: null }
    t.notOk(new Computer(saturday, { known: friday }).isDoubted, 'Saturday is of Friday')
  },
)

t.test(
  'F790 a start by a clock that was set while the computer was up needs a proof',
  async (t) => {
    for (const wrongMs of [-HOUR_MS, HOUR_MS]) {
      const known = { timeMs: TUESDAY_MS - 60_000, uptimeMs: 9_000_000 - 60_000 }
      const computer = new Computer(TUESDAY_MS, { wrongMs, known })
      t.ok(computer.isDoubted, `${wrongMs}`)
      t.equal(computer.errorMs, 0, 'it goes on by what has passed')
      for (let n = 0; n < 15; n++) computer.hear(computer.realMs).pass(3_000)
      t.ok(computer.isDoubted)
      t.equal(computer.errorMs, 0, 'quotes of now are none of the future')
      t.ok(computer.isSure)
      computer.jump(-wrongMs).pass(1_000)
      t.notOk(computer.isDoubted, 'until it is set right')
      t.equal(computer.errorMs, 0)
    }
  },
)

t.test('F790 one that was set right meanwhile is proved by the first quote', async (t) => {
  const known = { timeMs: TUESDAY_MS - HOUR_MS, uptimeMs: 9_000_000 - 60_000 }
  const computer = new Computer(TUESDAY_MS, { known })
  t.ok(computer.isDoubted)
  computer.hear(computer.realMs)
  t.notOk(computer.isDoubted)
  const unquoted = new Computer(TUESDAY_MS, { known }).pass(RULES.clockSettleMs + 2_000)
  t.notOk(unquoted.isDoubted, 'or by standing for a while')
})

t.test('a broker that lives on an earlier day makes a start wait longer', async (t) => {
  const computer = new Computer(TUESDAY_MS, { wrongMs: 4 * DAY_MS, known: MONDAY })
  computer.hear(TUESDAY_MS - HOUR_MS, 'broker').pass(2 * RULES.clockSettleMs)
  t.ok(computer.isDoubted)
  computer.pass(RULES.clockConfirmMs)
  t.notOk(computer.isDoubted)
  const proved = new Computer(TUESDAY_MS, { known: MONDAY }).hear(TUESDAY_MS + 500, 'broker')
  t.notOk(proved.isDoubted)
})

t.test(
  'quotes that go on as time passes show what time it is, whatever the wall says',
  async (t) => {
    const computer = new Computer(TUESDAY_MS, { wrongMs: 4 * DAY_MS, known: MONDAY })
    for (let second = 0; second < 12; second++) {
      computer
        .hear(computer.realMs - 1_000)
        .hear(computer.realMs - HOUR_MS)
        .pass(1_000)
    }
    t.strictSame(computer.news, ['doubted', 'led'])
    t.ok(Math.abs(computer.errorMs) < 3_000)
    t.ok(computer.isSure)
    computer.jump(-4 * DAY_MS).pass(RULES.clockSettleMs + 2_000)
    t.strictSame(computer.news, ['returned'])
  },
)

t.test(
  'one quote from far ahead, or the last of yesterday again and again, shows nothing',
  async (t) => {
    const computer = new Computer(TUESDAY_MS).jump(30 * DAY_MS).pass(1_000)
    for (let second = 0; second < 30; second++) {
      computer
        .hear(TUESDAY_MS + 4 * DAY_MS)
        .hear(TUESDAY_MS - HOUR_MS)
        .pass(1_000)
    }
    t.strictSame(computer.news, ['doubted'])
    t.equal(computer.errorMs, 0)
  },
)

t.test(
  'a clock that was known to be later is taken back when that is proved, or has stood',
  async (t) => {
    const ahead = { timeMs: TUESDAY_MS + 4 * DAY_MS, uptimeMs: null }
    const quoted = new Computer(TUESDAY_MS, { known: ahead }).pass(1_000)
    t.ok(quoted.isDoubted)
    quoted.hear(quoted.realMs)
    t.equal(quoted.errorMs, 0)
    const alone = new Computer(TUESDAY_MS, { known: ahead }).pass(RULES.clockConfirmMs + 2_000)
    t.equal(alone.errorMs, 0)
  },
)
