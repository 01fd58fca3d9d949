import fc from 'fast-check'
import t from 'tap'
import { CLIENT_ORDER_ID, clientOrderId } from '../../src/domain/ids.ts'

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** What the letters after the time say, as one number of 80 bits. */
const numberOf = (tail: string): bigint =>
  [...tail].reduce((sum, letter) => sum * 32n + BigInt(LETTERS.indexOf(letter)), 0n)

t.test(
  'an order id is its time in ten letters and the first ten bytes of the entropy in sixteen',
  async (t) => {
    const entropy = fc.uint8Array({ minLength: 10, maxLength: 32 })
    const timeMs = fc.integer({ min: 0, max: 2 ** 48 - 1 })
    const property = fc.property(timeMs, entropy, (time, bytes) => {
      const id = clientOrderId(time, bytes)
      t.match(id, CLIENT_ORDER_ID)
      t.equal(numberOf(id.slice(0, 10)), BigInt(time))
      t.equal(
        numberOf(id.slice(10)),
        BigInt(`0x${Buffer.from(bytes.subarray(0, 10)).toString('hex')}`),
      )
    })
    fc.assert(property, { numRuns: 100 })
  },
)

t.test('ids sort by time', async (t) => {
  const entropy = new Uint8Array(10).fill(255)
  t.ok(
    clientOrderId(1_700_000_000_000, entropy) <
      clientOrderId(1_700_000_000_001, new Uint8Array(10)),
  )
})
