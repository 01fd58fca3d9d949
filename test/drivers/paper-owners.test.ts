import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { firstRows } from '../../src/drivers/paper/first-rows.ts'
import { SETTINGS } from './fixtures/paper.ts'
import { booksIn, changesOf, commit, ID, sequencesIn } from './fixtures/paper-books.ts'

const PROCESSES = 3
const RUNS = 25
const first = () => firstRows(SETTINGS)

/** What may happen to one of the processes that know the account. */
const happening = fc.record({
  at: fc.nat({ max: PROCESSES - 1 }),
  what: fc.oneof(
    { weight: 6, arbitrary: fc.constant('commit' as const) },
    { weight: 3, arbitrary: fc.constant('claim' as const) },
    { weight: 1, arbitrary: fc.constantFrom('checkpoint', 'die', 'leave', 'large') },
  ),
})
type Happening = typeof happening extends fc.Arbitrary<infer V> ? V : never

const open = (paper: string) => ({ ...booksIn(paper, { logBytes: 32_768, id: ID }), epoch: 0 })
type Process = ReturnType<typeof open>

/** Nothing is ever done at the same time here: a process does not run with itself. */
class World {
  readonly #paper: string
  readonly #processes: Process[]
  readonly #told: number[] = []
  #newest = 0
  #seq = 0

  constructor(paper: string) {
    this.#paper = paper
    this.#processes = Array.from({ length: PROCESSES }, () => open(paper))
  }

  async play({ at, what }: Happening): Promise<void> {
    const one = this.#processes[at] as Process
    switch (what) {
      case 'claim':
        return this.#claim(one)
      case 'commit':
        return this.#commit(one, '')
      case 'large':
        return this.#commit(one, 'x'.repeat(40_000))
      case 'checkpoint': // refused, but all that was taken goes to the database before
        return void (await one.store.claim(0, first))
      case 'leave':
        await one.close()
    }
    this.#processes[at] = open(this.#paper)
  }

  async #claim(one: Process): Promise<void> {
    this.#newest += 1
    one.epoch = this.#newest
    const found = sequencesIn(await one.store.claim(one.epoch, first))
    const text = `told ${this.#told}, found ${found}`
    if (String(found) !== String(this.#told) || one.warnings.length > 0) throw new Error(text)
  }

  async #commit(one: Process, text: string): Promise<void> {
    if (one.epoch === 0) return
    this.#seq += 1
    const isWritten = await commit(one.store, one.epoch, changesOf(this.#seq, text))
    const isOwner = one.epoch === this.#newest
    if (isWritten !== isOwner) throw new Error(`${one.epoch} of ${this.#newest}: ${isWritten}`)
    if (isWritten) this.#told.push(this.#seq)
  }
}

t.test(
  'whoever owns the books, and however the owner before has ended: all that was told is there, once',
  async (t) => {
    const dir = t.testdir()
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 4, maxLength: 24 }), async (happenings) => {
        run += 1
        const world = new World(join(dir, String(run)))
        for (const one of happenings) await world.play(one)
        await world.play({ at: 0, what: 'claim' })
      }),
      { numRuns: RUNS },
    )
    t.ok(run >= RUNS)
  },
)
