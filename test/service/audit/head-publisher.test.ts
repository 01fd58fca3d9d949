import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type LogFields, silentLogger } from '../../../src/observability/logger.ts'
import { HeadPublisher } from '../../../src/service/audit/head-publisher.ts'
import { parseHead } from '../../../src/storage/published-head.ts'

const A = '10000001'
const B = '10000002'
const DAY_MS = 86_400_000
const LIMITS = { publishMs: 60_000, stopMs: 1_000, headFileBytesMax: 1_000_000 }

/** Journals that the test moves, and all that was said about them. */
function stage(t: Test, limits: Partial<typeof LIMITS> = {}) {
  const file = join(t.testdir(), 'heads.ndjson')
  const journals = new Map<string, number>()
  const said: LogFields[] = []
  const warned: string[] = []
  const world = { nowMs: Date.parse('2026-08-11T02:00:00Z'), owned: [A] }
  const publisher = new HeadPublisher({
    owned: () => world.owned,
    headOf: async (accountId) => {
      const seq = journals.get(accountId)
      if (seq === undefined) throw new Error('its database cannot be read')
      return { seq, hash: new Uint8Array(32).fill(seq) }
    },
    nowMs: () => world.nowMs,
    log: {
      ...silentLogger,
      info: (fields) => void said.push(fields),
      warn: (_, message) => void warned.push(message),
    },
    file,
    key: undefined,
    limits: { ...LIMITS, ...limits },
  })
  const filed = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => parseHead(line) ?? [])
  return { publisher, journals, said, warned, world, file, filed }
}

t.test('a head is published when it has moved, and once a day when it has not', async (t) => {
  const { publisher, journals, said, world, filed } = stage(t)
  journals.set(A, 0)
  await publisher.look()
  t.strictSame(said, [], 'an empty journal has no head')
  journals.set(A, 7)
  await publisher.look()
  await publisher.look()
  journals.set(A, 9)
  world.nowMs += 60_000
  await publisher.look()
  world.nowMs += DAY_MS
  await publisher.look()
  await publisher.look()
  const wanted = [
    { account: A, seq: 7, head: '07'.repeat(32), at: '2026-08-11T02:00:00.000Z' },
    { account: A, seq: 9, head: '09'.repeat(32), at: '2026-08-11T02:01:00.000Z' },
    { account: A, seq: 9, head: '09'.repeat(32), at: '2026-08-12T02:01:00.000Z' },
  ]
  t.strictSame(said, wanted)
  t.strictSame(filed(), wanted)
  t.strictSame(publisher.publishedOf(A), wanted[2])
})

t.test(
  'of an account that is run here no more nothing is kept; one that is back is told anew',
  async (t) => {
    const { publisher, journals, said, world } = stage(t)
    journals.set(A, 7)
    await publisher.look()
    world.owned = []
    await publisher.look()
    t.equal(publisher.publishedOf(A), undefined)
    world.owned = [A]
    await publisher.look()
    t.match(publisher.publishedOf(A), { seq: 7 })
    t.equal(said.length, 2)
  },
)

t.test('the day is that of the exchange', async (t) => {
  const { publisher, journals, said, world } = stage(t)
  journals.set(A, 1)
  world.nowMs = Date.parse('2026-08-11T15:59:00Z')
  await publisher.look()
  world.nowMs = Date.parse('2026-08-11T16:01:00Z')
  await publisher.look()
  t.equal(said.length, 2)
})

t.test('an account that cannot be read keeps no other from being published', async (t) => {
  const { publisher, journals, filed, world } = stage(t)
  journals.set(B, 3)
  world.owned = [A, B]
  await publisher.look()
  t.match(filed(), [{ account: B, seq: 3 }])
})

t.test(
  'a file that is full takes the newest head of each account when there is room',
  async (t) => {
    const { publisher, journals, said, warned, file, filed } = stage(t, { headFileBytesMax: 1 })
    writeFileSync(file, 'x\n')
    journals.set(A, 1)
    await publisher.look()
    journals.set(A, 2)
    await publisher.look()
    await publisher.look()
    t.equal(said.length, 2, 'the log has each once')
    t.equal(warned.length, 3, 'and says each time that the file has not')
    writeFileSync(file, '')
    await publisher.look()
    t.match(filed(), [{ seq: 2 }])
    t.equal(filed().length, 1)
  },
)

t.test('F492 a line that a full disk has cut takes none of the next one', async (t) => {
  const { publisher, journals, file, filed } = stage(t)
  journals.set(A, 1)
  await publisher.look()
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, whole + whole.slice(0, 40))
  journals.set(A, 2)
  await publisher.look()
  journals.set(A, 3)
  await publisher.look()
  t.strictSame(
    filed().map(({ seq }) => seq),
    [1, 2, 3],
  )
  t.notMatch(readFileSync(file, 'utf8'), /\n\n/)
})

t.test('the stop publishes what moved last, of accounts that are given up already', async (t) => {
  const { publisher, journals, world, filed } = stage(t)
  journals.set(A, 5)
  publisher.start()
  world.owned = []
  journals.set(A, 6)
  await publisher.stop([A])
  t.equal(filed().at(-1)?.seq, 6)
})

t.test('a store that does not answer does not hold up the stop', async (t) => {
  const never = new HeadPublisher({
    owned: () => [A],
    headOf: () => new Promise(() => {}),
    nowMs: Date.now,
    log: silentLogger,
    file: undefined,
    key: undefined,
    limits: { ...LIMITS, stopMs: 1 },
  })
  await never.stop([A])
  t.equal(never.publishedOf(A), undefined)
})
