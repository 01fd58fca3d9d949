import {
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  BLOCK_BYTES,
  batchOf,
  bytesOfBatch,
  type LogRecord,
} from '../../../src/storage/log/batch.ts'
import { isDead, leftoversIn, logsIn, segmentsOf } from '../../../src/storage/log/folder.ts'
import { ForeignLog } from '../../../src/storage/log/foreign-log.ts'
import { Log } from '../../../src/storage/log/log.ts'

const LIMITS = { segmentBytes: 4 * BLOCK_BYTES, segmentsMax: 3 }
const record = (body: string, key = '1'): LogRecord => ({ key, epoch: 1, body: Buffer.from(body) })
const ONE_BLOCK = bytesOfBatch([record('')])

function newLog(t: Test, root: string, limits = LIMITS): Log {
  const log = Log.create(root, limits)
  t.teardown(() => log.close())
  return log
}

/** Appends when there is room; the number of the batch. */
function put(log: Log, body: string): number | undefined {
  return log.reserve(ONE_BLOCK) === 'ready' ? log.append(() => [record(body)]) : undefined
}

/** What another process finds in it. */
async function found(root: string, name: string) {
  const foreign = ForeignLog.open(root, name)
  const contents = await foreign?.read()
  await foreign?.close()
  const bodies = contents?.batches.flatMap(({ records }) => records.map(({ body }) => `${body}`))
  return { bodies, hole: contents?.hole }
}

t.test('a new log is whole before it has its name, and nobody else may read it', async (t) => {
  const root = join(t.testdir(), 'logs')
  const log = newLog(t, root)
  t.strictSame(logsIn(root), [log.name])
  t.notOk(isDead(log.name), 'it is our own')
  for (const file of segmentsOf(join(root, log.name))) {
    const { size, mode } = statSync(join(root, log.name, file))
    t.equal(size, LIMITS.segmentBytes)
    if (process.platform !== 'win32') t.equal(mode & 0o077, 0)
  }
  t.strictSame(await found(root, log.name), { bodies: [], hole: undefined })
})

t.test('what was appended is found, in order, also over several segments and laps', async (t) => {
  const root = t.testdir()
  const log = newLog(t, root)
  const bodies = Array.from({ length: 40 }, (_, i) => `${i}`)
  for (const body of bodies) {
    const batch = put(log, body) ?? 0
    const contents = await found(root, log.name)
    t.equal(contents.bodies?.at(-1), body)
    t.equal(contents.hole, undefined)
    log.forget(batch, 1)
  }
  t.notOk(log.isNeeded)
})

t.test('what is not forgotten is never written over: the log is full before that', async (t) => {
  const root = t.testdir()
  const log = newLog(t, root)
  const batches: number[] = []
  for (let body = 0; body < 20 && log.reserve(ONE_BLOCK) === 'ready'; body++) {
    batches.push(put(log, `${body}`) ?? 0)
  }
  const all = batches.map((_, i) => `${i}`)
  t.equal(all.length, 6, 'two segments, less the block that ends each')
  t.strictSame((await found(root, log.name)).bodies, all)
  for (const batch of batches.slice(0, 2)) log.forget(batch, 1)
  t.equal(log.reserve(ONE_BLOCK), 'full', 'one of the first segment is needed')
  log.forget(batches[2] ?? 0, 1)
  t.equal(put(log, 'next'), 9, 'after the two that ended the segments')
  t.strictSame((await found(root, log.name)).bodies?.slice(-4), ['3', '4', '5', 'next'])
  t.ok(log.isNeeded)
})

t.test(
  'a lap that is torn at its start is no damage: what it lay over was not needed',
  async (t) => {
    const root = t.testdir()
    const log = newLog(t, root)
    const first = [put(log, 'a'), put(log, 'b'), put(log, 'c')]
    const second = [put(log, 'd'), put(log, 'e'), put(log, 'f')]
    for (const batch of [...first, ...second]) log.forget(batch ?? 0, 1)
    put(log, 'g')
    const path = join(root, log.name, '0.log')
    writeFileSync(path, readFileSync(path).fill(0x55, 0, BLOCK_BYTES))
    t.strictSame(await found(root, log.name), {
      bodies: ['b', 'c', 'd', 'e', 'f'],
      hole: undefined,
    })
  },
)

t.test('a batch in the middle that is spoiled is told', async (t) => {
  const root = t.testdir()
  const log = newLog(t, root)
  for (const body of ['a', 'b', 'c']) put(log, body)
  const path = join(root, log.name, '0.log')
  writeFileSync(path, readFileSync(path).fill(0x55, BLOCK_BYTES + 40, BLOCK_BYTES + 41))
  t.strictSame(await found(root, log.name), { bodies: ['a', 'c'], hole: 2 })
})

t.test(
  'what can never be written keeps its segment; others take the place, up to a limit',
  async (t) => {
    const root = t.testdir()
    const log = newLog(t, root)
    log.keep(put(log, 'kept') ?? 0, 1)
    const roundOf = (n: number) => {
      for (let i = 0; i < n; i++) {
        const batch = put(log, `${i}`)
        if (batch === undefined) return false
        log.forget(batch, 1)
      }
      return true
    }
    t.ok(roundOf(30))
    t.strictSame([...segmentsOf(join(root, log.name))].sort(), ['0.log', '1.log', '2.log'])
    const { bodies, hole } = await found(root, log.name)
    t.equal(bodies?.[0], 'kept')
    t.equal(hole, undefined)
    t.ok(log.isNeeded)
    log.keep(put(log, 'kept as well') ?? 0, 1)
    t.notOk(roundOf(30), 'and then the log is full')
  },
)

t.test('a log says when it fills up, and how much fits into what is left', async (t) => {
  const log = newLog(t, t.testdir(), { ...LIMITS, segmentsMax: 2 })
  const fits = (): number => batchOf(log.recordBytesNow)
  const batches = Array.from({ length: 3 }, (_, i) => put(log, `${i}`) ?? 0)
  t.strictSame([log.hasFreeSegment, log.isTight], [true, false], 'the other one is empty')
  t.equal(fits(), 3 * BLOCK_BYTES, 'which takes the next')
  put(log, 'in the other')
  t.strictSame([log.hasFreeSegment, log.isTight, fits()], [false, false, 2 * BLOCK_BYTES])
  put(log, 'and more than half of it')
  put(log, 'now')
  t.strictSame([log.hasFreeSegment, log.isTight], [false, true])
  for (const batch of batches) log.forget(batch, 1)
  t.strictSame([log.hasFreeSegment, log.isTight, fits()], [true, false, 3 * BLOCK_BYTES])
})

t.test('a batch that no segment holds is never written', async (t) => {
  const log = newLog(t, t.testdir())
  const large = bytesOfBatch([record('x'.repeat(3 * BLOCK_BYTES))])
  t.equal(log.reserve(large), 'never')
  t.equal(log.reserve(3 * BLOCK_BYTES), 'ready')
})

t.test('nothing chosen, nothing written', async (t) => {
  const root = t.testdir()
  const log = newLog(t, root)
  t.equal(
    log.append(() => []),
    undefined,
  )
  t.throws(
    () =>
      log.append(() => {
        throw new Error('read')
      }),
    { message: 'read' },
  )
  t.equal(put(log, 'a'), 1)
})

t.test('a log whose folder was taken away takes nothing more', async (t) => {
  const root = t.testdir()
  const log = newLog(t, root)
  put(log, 'a')
  renameSync(join(root, log.name), join(root, 'elsewhere'))
  t.throws(() => put(log, 'b'), /taken away/)
})

t.test('a log that cannot be made leaves nothing', async (t) => {
  const root = t.testdir({ logs: 'a file' })
  t.throws(() => Log.create(join(root, 'logs'), LIMITS))
  t.throws(() => Log.create(root, { ...LIMITS, segmentBytes: -1 }))
  t.strictSame(readdirSync(root), ['logs'])
})

t.test('members keep the log of a dead process; the last one that leaves ends it', async (t) => {
  const root = t.testdir()
  const log = Log.create(root, LIMITS)
  log.join('1')
  log.join('2')
  put(log, 'a')
  await log.close()
  const dead = log.name.replace(/^\d+/, '4194305') // beyond the largest process number
  renameSync(join(root, log.name), join(root, dead))
  t.ok(isDead(dead))
  const foreign = ForeignLog.open(root, dead)
  await foreign?.untilFree()
  t.equal((await foreign?.read())?.batches.length, 1)
  foreign?.leave('1')
  t.notOk(foreign?.isDone)
  t.strictSame(readdirSync(join(root, dead, 'members')), ['2'])
  foreign?.leave('2')
  t.ok(foreign?.isDone)
  await foreign?.remove()
  t.strictSame(readdirSync(root), [])
  t.equal(ForeignLog.open(root, dead), undefined)
})

t.test('the log of a dead process is read again only when its files are others', async (t) => {
  const root = t.testdir()
  const log = newLog(t, root)
  put(log, 'a')
  const dead = log.name.replace(/^\d+/, '4194305')
  renameSync(join(root, log.name), join(root, dead))
  const file = join(root, dead, '0.log')
  const written = (agoMs: number) => {
    for (const name of segmentsOf(join(root, dead))) {
      utimesSync(join(root, dead, name), new Date(), new Date(Date.now() - agoMs))
    }
  }
  const foreign = ForeignLog.open(root, dead)
  const count = async () => (await foreign?.read())?.batches.length
  const bytes = readFileSync(file)
  const spoil = () => writeFileSync(file, Buffer.alloc(bytes.length))
  written(0)
  t.equal(await count(), 1)
  spoil()
  written(0)
  t.equal(await count(), 0, 'a moment ago: it may have been written again in the same one')
  writeFileSync(file, bytes)
  written(60_000)
  t.equal(await count(), 1)
  const before = statSync(file)
  spoil()
  utimesSync(file, before.atime, before.mtime)
  t.equal(await count(), 1, 'long since: nobody has written it')
  written(30_000)
  t.equal(await count(), 0, 'at another time')
  await foreign?.close()
})

t.test(
  'the log of a process that lives is not removed, and the same number started earlier is dead',
  async (t) => {
    const root = t.testdir()
    const log = newLog(t, root)
    const foreign = ForeignLog.open(root, log.name)
    t.notOk(foreign?.isDone)
    await foreign?.close()
    const [pid, startMs = '', letters] = log.name.split('-')
    t.ok(isDead(`${pid}-${Number(startMs) - 60_000}-${letters}`))
    t.notOk(isDead('what is it'))
  },
)

t.test(
  'what was begun and never finished is told as a leftover, unless its process lives',
  async (t) => {
    const mine = '1-2-00000000'.replace('1', `${process.pid}`)
    const root = t.testdir({ '4194305-2-00000000.new': {}, [`${mine}.gone`]: {}, other: {} })
    const log = newLog(t, root)
    rmSync(join(root, `${log.name}.new`), { force: true, recursive: true })
    t.strictSame([...leftoversIn(root)].sort(), ['4194305-2-00000000.new', `${mine}.gone`].sort())
  },
)

t.test('a clean end removes the folder', async (t) => {
  const root = t.testdir()
  const log = Log.create(root, LIMITS)
  await log.remove()
  t.strictSame(readdirSync(root), [])
})

t.test(
  'a log that nobody is in any more is a leftover; one that does not say so is none',
  async (t) => {
    const root = t.testdir()
    const logs = [Log.create(root, LIMITS), Log.create(root, LIMITS), Log.create(root, LIMITS)]
    const dead = logs.map(({ name }, i) => name.replace(/^\d+-\d+/, `4194305-${i}`))
    logs[1]?.join('1')
    for (const [i, log] of logs.entries()) {
      await log.close()
      renameSync(join(root, log.name), join(root, dead[i] ?? ''))
    }
    rmSync(join(root, dead[2] ?? '', 'members'), { recursive: true })
    t.strictSame(leftoversIn(root), [dead[0]])
  },
)
