import fc from 'fast-check'
import t from 'tap'
import { TickLines } from '../../src/market/tick-line.ts'

const parse = (line: string, afterMs = 0) => new TickLines().parse(line, afterMs)
const good = { time: 1_754_875_800_000, stock_code: '600036.SH', lastPrice: 36.5 }
const withField = (fields: object) => JSON.stringify({ ...good, ...fields })

t.test('a line with time, stock_code and lastPrice is a tick; the rest is 0', async (t) => {
  const none = [0, 0, 0, 0, 0]
  t.same(parse(JSON.stringify(good)), {
    ok: true,
    value: {
      ...good,
      open: 0,
      high: 0,
      low: 0,
      lastClose: 0,
      volume: 0,
      amount: 0,
      bidPrice: none,
      askPrice: none,
      bidVol: none,
      askVol: none,
    },
  })
})

t.test('codes are normalised, levels padded or cut to five', async (t) => {
  const rows: readonly (readonly [object, object])[] = [
    [{ stock_code: '600036' }, { stock_code: '600036.SH' }],
    [{ stock_code: ' sz.000001 ' }, { stock_code: '000001.SZ' }],
    [{ bidPrice: [36.4] }, { bidPrice: [36.4, 0, 0, 0, 0] }],
    [{ askVol: [1, 2, 3, 4, 5, 6, 7] }, { askVol: [1, 2, 3, 4, 5] }],
    [
      { open: null, bidVol: null, bidPrice: [null, 3] },
      { open: 0, bidPrice: [0, 3, 0, 0, 0] },
    ],
    [{ extra: 'x', lastClose: 36 }, { lastClose: 36 }],
    [
      { lastPrice: 0, lastClose: 36 },
      { lastPrice: 0, lastClose: 36 },
    ],
  ]
  for (const [fields, expected] of rows) {
    t.match(parse(withField(fields)), { ok: true, value: expected }, JSON.stringify(fields))
  }
})

t.test('a bad line is refused with its reason', async (t) => {
  const rows: readonly (readonly [string, string])[] = [
    ['', 'not JSON'],
    ['{"time":1', 'not JSON'],
    ['null', 'not JSON'],
    ['17', 'not JSON'],
    ['[]', 'no valid time'],
    [withField({ time: undefined }), 'no valid time'],
    [withField({ time: '1754875800000' }), 'no valid time'],
    [withField({ time: -1 }), 'no valid time'],
    [withField({ time: 0 }), 'no valid time'],
    [withField({ time: 1.5 }), 'no valid time'],
    [withField({ time: 1e15 }), 'no valid time'],
    [withField({ time: 999 }), 'time goes backwards'],
    [withField({ stock_code: undefined }), 'no valid stock_code'],
    [withField({ stock_code: 600036 }), 'no valid stock_code'],
    [withField({ stock_code: '830799' }), 'no valid stock_code'],
    [withField({ stock_code: 'AAPL' }), 'no valid stock_code'],
    [withField({ lastPrice: undefined }), 'no valid lastPrice'],
    [withField({ lastPrice: null }), 'no valid lastPrice'],
    [withField({ lastPrice: '36.5' }), 'no valid lastPrice'],
    [withField({ lastPrice: -36.5 }), 'no valid lastPrice'],
    [withField({ lastPrice: 0 }), 'no valid lastPrice'],
    [withField({ lastPrice: 0.00001 }), 'no valid lastPrice'],
    [withField({ lastPrice: 1e9 }), 'no valid lastPrice'],
    ['{"time":1754875800000,"stock_code":"600036.SH","lastPrice":1e999}', 'no valid lastPrice'],
    [withField({ open: -1 }), 'a number is negative or not a number'],
    [withField({ volume: '5' }), 'a number is negative or not a number'],
    [withField({ bidPrice: 36.4 }), 'a number is negative or not a number'],
    [withField({ askPrice: [36.5, -1] }), 'a number is negative or not a number'],
    [withField({ askVol: ['80'] }), 'a number is negative or not a number'],
    [
      '{"time":1754875800000,"stock_code":"600036.SH","lastPrice":1,"high":1e999}',
      'a number is negative or not a number',
    ],
  ]
  for (const [line, reason] of rows) t.same(parse(line, 1_000), { ok: false, error: reason }, line)
})

t.test('a tick of the same time as the one before is in order', async (t) => {
  t.ok(parse(JSON.stringify(good), good.time).ok)
  t.same(parse(JSON.stringify(good), good.time + 1), { ok: false, error: 'time goes backwards' })
})

t.test('no line breaks the reader, and what it lets through is sound', async () => {
  const field = fc.oneof(fc.anything(), fc.double(), fc.constant(36.5))
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ time: field, lastPrice: field, open: field, bidPrice: fc.array(field) })
      .map((raw) => JSON.stringify({ stock_code: '600036', ...raw }) ?? ''),
  )
  fc.assert(
    fc.property(line, (text) => {
      const result = parse(text)
      if (!result.ok) return true
      const { stock_code, bidPrice, askPrice, bidVol, askVol, ...numbers } = result.value
      const levels = [bidPrice, askPrice, bidVol, askVol]
      return (
        stock_code === '600036.SH' &&
        levels.every((list) => list.length === 5) &&
        [...Object.values(numbers), ...levels.flat()].every((n) => Number.isFinite(n) && n >= 0)
      )
    }),
    { numRuns: 1_000 },
  )
})
