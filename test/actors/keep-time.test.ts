import t from 'tap'
import { keepMsOf } from '../../actors/account/keep-time.ts'

t.test('accounts save what may wait at different moments, none later than the limit', async (t) => {
  for (const accounts of [1, 2, 8, 32, 300]) {
    const kept = Array.from({ length: accounts }, (_, slot) => keepMsOf(100, slot)).sort(
      (a, b) => a - b,
    )
    const gaps = kept.slice(1).map((ms, i) => ms - (kept[i] as number))
    t.ok(
      kept.every((ms) => ms >= 25 && ms <= 100),
      `${accounts}: between a quarter and all of it`,
    )
    t.ok(
      gaps.every((gap) => gap > 75 / (3 * accounts)),
      `${accounts}: never two at once`,
    )
  }
})

t.test('nothing is kept where nothing may be kept', async (t) => {
  t.equal(keepMsOf(0, 7), 0)
})
