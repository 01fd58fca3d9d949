import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import {
  isDiskLow,
  keepReserve,
  mustHoldLocks,
  Room,
  reserveIn,
} from '../../src/storage/free-space.ts'
import { hold } from '../held.ts'

const MIB = 1_048_576

t.test('low below the floor, and until there is more than the floor', async (t) => {
  const limits = { floorBytes: 100, backBytes: 20, marginBytes: 4, reserveBytes: 8 }
  const cases: readonly (readonly [was: boolean, free: number, is: boolean])[] = [
    [false, 100, false],
    [false, 99, true],
    [true, 100, true],
    [true, 119, true],
    [true, 120, false],
    [false, Number.POSITIVE_INFINITY, false],
    [true, Number.POSITIVE_INFINITY, false],
  ]
  for (const [was, free, is] of cases) t.equal(isDiskLow(was, free, limits), is, `${was} ${free}`)
  const off = { floorBytes: 0, backBytes: 20, reserveBytes: 8 }
  t.equal(isDiskLow(false, 0, { ...off, marginBytes: 0 }), false, 'both are off')
  for (const was of [true, false]) {
    t.equal(isDiskLow(was, 3, { ...off, marginBytes: 4 }), true, 'where nothing is written')
    t.equal(isDiskLow(was, 149, { ...limits, marginBytes: 150 }), true, 'whichever is higher')
  }
})

t.test('F985 without a floor the space of the reserve alone lets no order pass', async (t) => {
  const limits = { floorBytes: 0, backBytes: 20, marginBytes: 4, reserveBytes: 8 }
  t.equal(isDiskLow(false, 4, limits), false)
  t.equal(isDiskLow(true, 11, limits), true, 'given up for what people do to stop')
  t.equal(isDiskLow(true, 12, limits), false, 'from where it can be kept again')
})

t.test(
  'the reserve is kept whole, given up when nothing else is left, and kept again',
  async (t) => {
    const dataDir = t.testdir()
    const file = reserveIn(dataDir)
    mkdirSync(dirname(file))
    writeFileSync(file, 'a part')
    await keepReserve(dataDir, 3 * MIB + 1)
    t.equal(statSync(file).size, 3 * MIB + 1)
    // A disk that has nothing left but what the reserve takes.
    const freeBytes = () => (existsSync(file) ? 0 : 3 * MIB)
    const room = new Room({ dataDir, marginBytes: 2 * MIB, freeBytes })
    t.equal(room.has(), true)
    t.notOk(existsSync(file))
    t.equal(
      new Room({ dataDir, marginBytes: 4 * MIB, freeBytes }).has(),
      false,
      'and if not enough',
    )
    await keepReserve(dataDir, MIB)
    t.equal(statSync(file).size, MIB)
    await keepReserve(dataDir, 0)
    t.notOk(existsSync(file), 'none is wanted')
  },
)

t.test('a reserve that cannot be written is no error', async (t) => {
  const dataDir = t.testdir({ service: 'a file where the folder should be' })
  await keepReserve(dataDir, MIB)
  t.pass('nothing was thrown')
})

t.test('F444 a reserve that somebody reads is given up later, and no account stops', async (t) => {
  const dataDir = t.testdir()
  const file = reserveIn(dataDir)
  await keepReserve(dataDir, MIB)
  const freeBytes = () => (existsSync(file) ? 0 : 3 * MIB)
  const room = new Room({ dataDir, marginBytes: 2 * MIB, freeBytes })
  const letGo = hold(t, file)
  t.equal(room.has(), false)
  letGo()
  t.equal(room.has(), true)
})

t.test('F611 locks that are not on disk need room there, those that are need none', async (t) => {
  const file = join(t.testdir(), 'lock.mdb')
  const isRefused = (free: number) => {
    try {
      mustHoldLocks(file, () => free)
      return false
    } catch (error) {
      return Reflect.get(Object(error), 'code') === 'DISK_FULL'
    }
  }
  t.equal(isRefused(0), true, 'not there')
  t.equal(isRefused(MIB), false, 'there is room for them')
  writeFileSync(file, '')
  t.equal(isRefused(0), true, 'begun, and without a block')
  writeFileSync(file, Buffer.alloc(8_192, 1))
  t.equal(isRefused(0), false, 'on disk')
})
