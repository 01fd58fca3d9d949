import t from 'tap'
import { busyCores } from '../../bench/kit/others.ts'
import { headOf, unrest } from '../../bench/kit/page.ts'

t.test('busy cores are the part of the time that is not idle', async (t) => {
  const before = { busyMs: 1_000, idleMs: 5_000 }
  t.equal(busyCores(before, { busyMs: 1_500, idleMs: 6_500 }, 2), 0.5)
  t.equal(busyCores(before, { busyMs: 3_000, idleMs: 5_000 }, 2), 2)
  t.equal(busyCores(before, before, 2), 0, 'no time has passed')
})

t.test('a machine that others use is told of where the figures stand', async (t) => {
  t.equal(unrest({ before: 0.1, most: 0.2 }, 2), undefined)
  t.match(unrest({ before: 0.1, most: 0.21 }, 2), /not quiet .*0\.21 of 2 cores/)
  const [line = '', , warning] = headOf({ before: 0, most: 1_000 })
  t.match(line, /^Measured on .*took 0\.00 of \d+ cores before, and at most 1000\.00 between two/)
  t.match(warning, /^\*\*The machine was not quiet/)
  t.equal(headOf({ before: 0, most: 0 }).length, 1)
})
