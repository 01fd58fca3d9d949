import { appendFileSync, fsyncSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { SentKeys, type SentKeysOptions } from '../../../src/drivers/gateway/sent-keys.ts'
import { ActorBoard, createActorBoard } from '../../../src/runtime/actor-board.ts'

const DAY_MS = 86_400_000
const TODAY_MS = Date.parse('2026-08-11T10:00:00+08:00')
const at = (folder: string, parts: Partial<SentKeysOptions> = {}) =>
  new SentKeys({
    folder,
    keepDays: 2,
    keysMax: 3,
    idThere: (key) => `there-${key}`,
    nowMs: () => TODAY_MS,
    ...parts,
  })

t.test(
  'F105 what was to be sent is known to the next life, also behind a line that was cut off',
  async (t) => {
    const folder = t.testdir()
    const first = at(folder)
    first.noteEpoch(4)
    first.add('A', 'grid')
    first.add('B', 'stop_loss')
    first.decide('A', '1001')
    first.close()
    appendFileSync(join(folder, 'sent.ndjson'), '{"key":"C","stra')
    const next = at(folder)
    t.teardown(() => next.close())
    t.equal(next.epoch, 4)
    t.strictSame(next.undecided(), ['B'])
    t.match(next.find('A'), { strategy: 'grid', orderId: '1001', isDecided: true })
    t.match(next.shownAs('there-B'), { key: 'B' })
    t.match(next.numbered('1001', TODAY_MS), { key: 'A' })
    t.equal(next.numbered('1001', TODAY_MS + DAY_MS), undefined, 'numbers begin anew every day')
  },
)

t.test(
  'an answer that comes after its end writes nothing over what the next one keeps',
  async (t) => {
    const folder = t.testdir()
    const first = at(folder)
    first.add('A', 'grid')
    first.close()
    const next = at(folder)
    next.add('B', 'grid')
    first.decide('A', '1001')
    t.throws(() => first.add('C', 'grid'))
    next.close()
    const last = at(folder)
    t.teardown(() => last.close())
    t.strictSame(last.undecided(), ['A', 'B'])
  },
)

/** A disk that does as it is told once, and then as it should. */
function breakable() {
  let trouble: 'none' | 'full' | 'short' | 'flush' = 'none'
  const disk = {
    write: (file: number, bytes: Uint8Array): number => {
      if (trouble === 'full') throw new Error('ENOSPC')
      if (trouble !== 'short') return writeSync(file, bytes)
      trouble = 'full'
      return writeSync(file, bytes.subarray(0, 9))
    },
    flush: (file: number): void => {
      if (trouble === 'flush') throw new Error('EIO')
      fsyncSync(file)
    },
    flushNames: (): void => undefined,
  }
  const be = (what: typeof trouble): void => {
    trouble = what
  }
  return { disk, be }
}

t.test('F294 no key is lost behind one that could not be written', async (t) => {
  for (const trouble of ['short', 'flush'] as const) {
    const folder = t.testdir()
    const { disk, be } = breakable()
    const keys = at(folder, { disk })
    keys.add('A', 'grid')
    be(trouble)
    t.throws(() => keys.add('B', 'grid'), /ENOSPC|EIO/, trouble)
    t.throws(() => keys.add('C', 'grid'), 'nothing is sent while it lasts')
    be('none')
    keys.add('D', 'grid')
    keys.close()
    const next = at(folder)
    t.strictSame(next.undecided(), ['A', 'D'])
    next.close()
  }
})

t.test('F294 a start on a full disk keeps the file that is there', async (t) => {
  const folder = t.testdir()
  const first = at(folder)
  first.add('A', 'grid')
  first.close()
  const { disk, be } = breakable()
  be('short')
  t.throws(() => at(folder, { disk }), /ENOSPC/)
  const next = at(folder)
  t.teardown(() => next.close())
  t.strictSame(next.undecided(), ['A'])
})

t.test('F465 whoever watches the thread knows that it stands in a flush', async (t) => {
  const folder = t.testdir()
  const { disk, be } = breakable()
  const board = new ActorBoard(createActorBoard(1))
  const seen: boolean[] = []
  const flush = (file: number): void => {
    seen.push(board.isAtDisk(0))
    disk.flush(file)
  }
  const flushNames = (): void => {
    seen.push(board.isAtDisk(0))
  }
  const keys = at(folder, {
    disk: { ...disk, flush, flushNames },
    atDisk: (work) => board.atDisk(0, work),
  })
  t.teardown(() => keys.close())
  keys.add('A', 'grid')
  be('flush')
  t.throws(() => keys.add('B', 'grid'), /EIO/)
  t.strictSame(seen, [true, true, true, true], 'the file, its name, and each key')
  t.notOk(board.isAtDisk(0), 'nor is it there any more when the disk has refused')
})

t.test('F383 the name of a file that was made anew is on disk before a key is in it', async (t) => {
  const folder = t.testdir()
  const done: string[] = []
  const disk = {
    write: (file: number, bytes: Uint8Array): number => {
      const key = /"key":"(.)"/.exec(String(Buffer.from(bytes)))?.[1]
      if (key !== undefined) done.push(`key ${key}`)
      return writeSync(file, bytes)
    },
    flush: fsyncSync,
    flushNames: (path: string): void => {
      const names = readdirSync(path).join()
      done.push(`names ${names}`)
    },
  }
  const keys = at(folder, { disk })
  t.teardown(() => keys.close())
  keys.add('A', 'grid')
  t.strictSame(done, ['names sent.ndjson', 'key A'])
})

t.test('decided keys are forgotten after some days, open ones never', async (t) => {
  const folder = t.testdir()
  const first = at(folder)
  first.add('A', 'grid')
  first.add('B', 'grid')
  first.decide('A', '')
  first.close()
  const later = at(folder, { nowMs: () => TODAY_MS + 9 * DAY_MS })
  t.teardown(() => later.close())
  t.equal(later.find('A'), undefined)
  t.strictSame(later.undecided(), ['B'])
})

t.test('more keys than are kept are not sent', async (t) => {
  const keys = at(t.testdir())
  t.teardown(() => keys.close())
  for (const key of ['A', 'B', 'C']) keys.add(key, 'grid')
  t.throws(() => keys.add('D', 'grid'), /sent_max/)
})

t.test(
  'F219 keys of past days make room for new ones, in a life that is never begun anew',
  async (t) => {
    let nowMs = TODAY_MS
    const keys = at(t.testdir(), { nowMs: () => nowMs })
    t.teardown(() => keys.close())
    for (const key of ['A', 'B', 'C']) keys.add(key, 'grid')
    for (const [key, orderId] of [
      ['A', '1001'],
      ['B', ''],
    ] as const)
      keys.decide(key, orderId)
    nowMs += 9 * DAY_MS
    keys.add('D', 'stop_loss')
    keys.add('E', 'grid')
    t.throws(() => keys.add('F', 'grid'), /sent_max/)
    t.strictSame(keys.undecided(), ['C', 'D', 'E'], 'whose fate nobody knows stay')
    t.equal(keys.find('A'), undefined)
    t.equal(keys.numbered('1001', TODAY_MS), undefined)
  },
)
