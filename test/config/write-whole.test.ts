import t from 'tap'
import { writeWhole } from '../../src/config/write-whole.ts'

t.test('F299 every byte is written, or the disk says why not', async (t) => {
  const takes = (...counts: number[]) => {
    let told = ''
    const write = (_file: number, bytes: Uint8Array): number => {
      const count = counts.shift()
      if (count === undefined) throw new Error('ENOSPC')
      told += Buffer.from(bytes.subarray(0, count)).toString()
      return Math.min(count, bytes.length)
    }
    return { write, told: () => told }
  }
  const slow = takes(2, 1, 9)
  writeWhole(0, 'tokens', slow.write)
  t.equal(slow.told(), 'tokens')
  t.throws(() => writeWhole(0, 'tokens', takes(2).write), /ENOSPC/, 'a part is not the whole')
  t.throws(() => writeWhole(0, 'tokens', takes(2, 0).write), /takes nothing/)
  writeWhole(0, '', takes().write)
})
