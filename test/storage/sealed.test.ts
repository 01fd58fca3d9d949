import fc from 'fast-check'
import t from 'tap'
import { seal, unseal } from '../../src/storage/seal.ts'

t.test('what was sealed comes back, and nothing shorter than a seal does', async (t) => {
  const isSame = fc.property(fc.uint8Array(), (value) => {
    t.strictSame(unseal(seal(value)), value)
  })
  fc.assert(isSame)
  t.equal(unseal(new Uint8Array(3)), undefined)
})

t.test('one flipped bit is always seen', async () => {
  const isSeen = fc.property(fc.uint8Array(), fc.nat(), fc.nat(7), (value, position, bit) => {
    const sealed = seal(value)
    const at = position % sealed.length
    sealed[at] = (sealed[at] ?? 0) ^ (1 << bit)
    return unseal(sealed) === undefined
  })
  fc.assert(isSeen)
})
