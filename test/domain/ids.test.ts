import fc from 'fast-check'
import t from 'tap'
import { CLIENT_ORDER_ID, clientOrderId, mayBeAccount, orderNumber } from '../../src/domain/ids.ts'

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** What the letters after the time say, as one number of 80 bits. */
const numberOf = (tail: string): bigint =>
  [...tail].reduce((sum, letter) => sum * 32n + BigInt(LETTERS.indexOf(letter)), 0n)

t.test('F454 a name that Windows keeps for a device or the service is no account', async (t) => {
  const taken = ['CON', 'prn', 'Aux', 'NUL', 'com1', 'COM9', 'lpt1', 'LPT0', 'paper', 'Service']
  for (const name of taken) t.notOk(mayBeAccount(name), name)
  const free = ['10000001', 'con1', 'COM10', 'nul-1', 'console', 'lpt', 'auxiliary']
  for (const name of free) t.ok(mayBeAccount(name), name)
})

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

t.test('the number of an order is an integer while that says exactly the same', (t) => {
  const told: readonly (readonly [string, number | string])[] = [
    ['2014314497', 2_014_314_497],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', '9007199254740993'],
    ['0012345', '0012345'],
    ['000', '000'],
    ['0', 0],
    ['-5', '-5'],
    ['1e3', '1e3'],
    ['SIM-1', 'SIM-1'],
    ['', ''],
  ]
  for (const [number, shown] of told) t.equal(orderNumber(number), shown, number)
  t.end()
})
