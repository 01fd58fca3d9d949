import t from 'tap'
import { spreadMs } from '../../actors/account/spread.ts'

const MOST_MS = 60_000

t.test('accounts do what may wait at different moments, none later than the limit', async (t) => {
  for (const accounts of [1, 2, 8, 32, 300]) {
    const waits = Array.from({ length: accounts }, (_, slot) => spreadMs(MOST_MS, slot)).sort(
      (a, b) => a - b,
    )
    const gaps = waits.slice(1).map((ms, i) => ms - (waits[i] as number))
    t.ok(
      waits.every((ms) => ms >= MOST_MS / 4 && ms <= MOST_MS),
      `${accounts}: between a quarter and all of it`,
    )
    t.ok(
      gaps.every((gap) => gap > MOST_MS / (4 * accounts)),
      `${accounts}: never two at once`,
    )
  }
})

t.test('nothing waits where nothing may wait', async (t) => {
  t.equal(spreadMs(0, 7), 0)
})
