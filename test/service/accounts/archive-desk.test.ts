import { pino } from 'pino'
import t from 'tap'
import { ServiceError } from '../../../src/domain/errors.ts'
import { ArchiveDesk, type ArchiveLine } from '../../../src/service/accounts/archive-desk.ts'
import type { RetentionRules } from '../../../src/storage/archive/retention.ts'

const LIMITS = {
  journalKeepDays: 7,
  journalKeepEntries: 1_000,
  journalTrimBatch: 40,
  journalTrimPauseMs: 0,
  journalCheckMs: 60_000,
  journalRetryMs: 600_000,
  auditKeepDays: 400,
}
const NIGHT = Date.parse('2026-08-20T00:05:00+08:00')
const MORNING = Date.parse('2026-08-20T10:00:00+08:00')
const mark = (seq: number) => ({ seq, hash: new Uint8Array(32), epoch: 1 })

/** Accounts with so many segments to write, of 100 entries each. */
class FakeLine implements ArchiveLine {
  readonly asked: string[] = []
  readonly rules: RetentionRules[] = []
  readonly #due: Map<string, number>
  readonly #left = new Map<string, number>()
  expiredAt: number | null = null
  failure: ServiceError | undefined

  constructor(due: Readonly<Record<string, number>>) {
    this.#due = new Map(Object.entries(due))
  }

  async next(accountId: string, rules: RetentionRules) {
    if (this.failure) throw this.failure
    this.rules.push(rules)
    const due = this.#due.get(accountId) ?? 0
    this.asked.push(`next ${accountId}`)
    if (due === 0) return null
    this.#due.set(accountId, due - 1)
    this.#left.set(accountId, 100)
    return mark(100)
  }
  async trim(accountId: string, _: unknown, limit: number) {
    const left = Math.max(0, (this.#left.get(accountId) ?? 0) - limit)
    this.#left.set(accountId, left)
    this.asked.push(`trim ${accountId} ${left}`)
    return left
  }
  async expired() {
    return this.expiredAt === null ? null : mark(this.expiredAt)
  }
  async keepFrom(accountId: string, { seq }: { seq: number }) {
    this.asked.push(`keepFrom ${accountId} ${seq}`)
    return null
  }
  async drop(accountId: string) {
    this.asked.push(`drop ${accountId}`)
    return 0
  }
}

function desk(
  line: ArchiveLine,
  owned: readonly string[],
  nowMs: () => number,
  isDiskLow = () => false,
) {
  const log = pino({ level: 'silent' })
  return new ArchiveDesk({ line, owned: () => owned, isDiskLow, nowMs, log, limits: LIMITS })
}

t.test(
  'one account after the other, one segment after the other, a few entries at a time',
  async (t) => {
    const line = new FakeLine({ A: 2, B: 1 })
    await desk(line, ['A', 'B'], () => NIGHT).check()
    const segment = (id: string) => [`next ${id}`, `trim ${id} 60`, `trim ${id} 20`, `trim ${id} 0`]
    t.strictSame(line.asked, [
      ...segment('A'),
      ...segment('A'),
      'next A',
      'drop A',
      ...segment('B'),
      'next B',
      'drop B',
    ])
    t.strictSame(line.rules[0], { keepDays: 7, keepEntries: 1_000 })
  },
)

t.test(
  'once a day; in trading hours only what is long overdue, and nothing is deleted',
  async (t) => {
    const line = new FakeLine({})
    let nowMs = NIGHT
    const each = desk(line, ['A'], () => nowMs)
    await each.check()
    nowMs += 3_600_000
    await each.check()
    t.strictSame(line.asked.splice(0), ['next A', 'drop A'])
    nowMs = MORNING
    await each.check()
    nowMs += 60_000
    await each.check()
    t.strictSame(line.asked.splice(0), ['next A'])
    t.strictSame(line.rules.at(-1), { keepDays: 14, keepEntries: 2_000 })
    nowMs = NIGHT + 86_400_000
    await each.check()
    t.strictSame(line.asked, ['next A', 'drop A'])
  },
)

t.test('and that in smaller steps', async (t) => {
  const line = new FakeLine({ A: 1 })
  await desk(line, ['A'], () => MORNING).check()
  t.equal(line.asked.filter((each) => each.startsWith('trim')).length, Math.ceil(100 / 8))
})

t.test('what is deleted is noted before', async (t) => {
  const line = new FakeLine({})
  line.expiredAt = 5_000
  await desk(line, ['A'], () => NIGHT).check()
  t.strictSame(line.asked, ['next A', 'keepFrom A 5000', 'drop A'])
})

t.test('a failure is tried again later, an account that leaves is no failure', async (t) => {
  const line = new FakeLine({})
  let nowMs = NIGHT
  const each = desk(line, ['A'], () => nowMs)
  line.failure = new ServiceError('STOPPING', 'left')
  await each.check()
  line.failure = new ServiceError('STORE_FAILED', 'damaged')
  await each.check()
  line.failure = undefined
  await each.check()
  t.strictSame(line.asked, [], 'not at once')
  nowMs += LIMITS.journalRetryMs
  await each.check()
  t.strictSame(line.asked, ['next A', 'drop A'])
})

t.test(
  'F300 a failure under a clock that was ahead is tried again when it was set back',
  async (t) => {
    const line = new FakeLine({})
    let nowMs = NIGHT + 365 * 86_400_000
    const each = desk(line, ['A'], () => nowMs)
    line.failure = new ServiceError('STORE_FAILED', 'damaged')
    await each.check()
    line.failure = undefined
    nowMs = NIGHT
    await each.check()
    t.strictSame(line.asked, ['next A', 'drop A'])
  },
)

t.test('a stop ends it between two steps', async (t) => {
  const line = new FakeLine({ A: 1_000 })
  const each = desk(line, ['A'], () => NIGHT)
  const looking = each.check()
  await each.close()
  await looking
  t.ok(line.asked.length < 10, `${line.asked.length} steps`)
})

t.test('F491 a disk that is nearly full keeps its last room, and is looked at again', async (t) => {
  const line = new FakeLine({ A: 3, B: 1 })
  line.expiredAt = 50
  let left = 1
  const each = desk(
    line,
    ['A', 'B'],
    () => NIGHT,
    () => left-- <= 0,
  )
  await each.check()
  const moved = (id: string) => line.asked.filter((step) => step === `next ${id}`).length
  t.strictSame([moved('A'), moved('B')], [1, 0], 'not a segment more once it is low')
  t.strictSame(
    line.asked.filter((step) => /^(keepFrom|drop)/.test(step)),
    ['keepFrom A 50', 'drop A', 'keepFrom B 50', 'drop B'],
    'what is old enough is deleted all the same: it gives room back',
  )
  left = 100
  await each.check()
  t.strictSame([moved('A'), moved('B')], [4, 2], 'all goes on when there is room')
})
