import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { TickLines } from '../../src/market/tick-line.ts'
import { newScannedTick } from '../../src/market/tick-scan.ts'

const parse = (line: string, afterMs = 0) => new TickLines().parse(line, afterMs)
const value = (result: ReturnType<typeof parse>) => (result.ok ? result.value : result.error)
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
    [withField({ time: 1_754_875_799_999 }), 'time goes backwards'],
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
  for (const [line, reason] of rows) {
    t.same(parse(line, good.time), { ok: false, error: reason }, line)
  }
})

t.test('F273 a time in seconds or in digits is the moment that it means', async (t) => {
  const lines = new TickLines()
  const seconds = good.time / 1_000
  // 2025-08-11 09:30:00 at the exchange; the last one is more than a number of JSON holds exactly.
  for (const time of [seconds, seconds + 0.25, 20250811093000, '20250811093000000']) {
    const line = withField({}).replace(String(good.time), String(time))
    const expected = time === seconds + 0.25 ? good.time + 250 : good.time
    t.match(parse(line), { ok: true, value: { time: expected } }, line)
    t.equal(scanned(lines, line)?.time ?? expected, expected, line)
    t.equal(lines.timeOf(line), expected, line)
  }
  const noTimes = [1_786_413_600_000_000, 20261399093000, 20260811250000, 20260230093000, 8e12]
  for (const time of [...noTimes, 86_400_000, 20260811]) {
    t.same(parse(withField({ time })), { ok: false, error: 'no valid time' }, String(time))
    t.equal(scanned(lines, withField({ time })), undefined, String(time))
  }
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

/** A line as it stands in the middle of what was read, with something else before and after it. */
const scanned = (lines: TickLines, line: string, afterMs = 0) => {
  const [before, text] = ['{"time":1', new TextEncoder().encode(line)]
  const bytes = new TextEncoder().encode(`${before}${line}\n,"volume":7}`)
  const start = before.length
  return lines.scan({ bytes, start, end: start + text.length }, afterMs, newScannedTick())
}

t.test(
  'usual lines are read from their bytes: compact, spaced, in any order, with more fields',
  async (t) => {
    const full = { ...good, open: 36, bidPrice: [36.4, 36.39, 36.38, 36.37, 36.36], askVol: [1, 2] }
    const { stock_code: _, ...rest } = full
    const texts = [
      JSON.stringify(full),
      JSON.stringify(full).replaceAll(':', ': ').replaceAll(',', ', '),
      `${JSON.stringify(full, Object.keys(full).sort())}\r`,
      JSON.stringify({ ...full, pe: 3.5, note: 'a "plain" one'.replaceAll('"', ''), more: [1, 2] }),
      JSON.stringify({ ...full, bidVol: [] }),
      JSON.stringify({ ...rest, stock_code: '600036' }),
      JSON.stringify({ ...full, volume: 123_456_789_012.345 }),
    ]
    const lines = new TickLines()
    for (const text of [...texts, ...texts.toReversed()]) {
      t.strictSame(scanned(lines, text), value(parse(text)), text)
    }
  },
)

t.test('what is spelt in another way, and what is no tick, is left to the parser', async (t) => {
  const texts = [
    [
      '{"time" :1754875800000,"stock_code":"600036.SH","lastPrice":36.5}',
      withField({ note: '中' }),
    ],
    [withField({ open: -1 }), withField({ open: null }), withField({ note: { a: 1 } })],
    [withField({ volume: 1e21 }), withField({ note: 'a\nb' }), withField({ note: '\\' })],
    [withField({ volume: '5' }), withField({ stock_code: 'sh.600036' }), withField({ time: 999 })],
    [
      withField({ stock_code: '830799' }),
      withField({ lastPrice: 0 }),
      withField({ lastPrice: 1e9 }),
    ],
    [
      '{}',
      '',
      '{"time":1754875800000}',
      `${JSON.stringify(good)}x`,
      JSON.stringify(good).slice(0, -1),
    ],
    [JSON.stringify(good).replace('36.5', '036.5'), JSON.stringify(good).replace('36.5', '36.')],
    [JSON.stringify(good).replace('36.5', '.5'), JSON.stringify(good).replace('}', ',}')],
    [
      JSON.stringify(good).replace('36.5', '36.5e0'),
      `${withField({ bidVol: [1] }).slice(0, -2)},]}`,
    ],
  ].flat()
  const lines = new TickLines()
  for (const text of texts) {
    t.ok(scanned(lines, JSON.stringify(good)), 'the order of the usual line is known')
    t.equal(scanned(lines, text, 1_000), undefined, text)
  }
})

t.test('read from its bytes or parsed, a line is the same tick', async () => {
  const plain = fc.oneof(
    fc.integer({ min: 0, max: 1_000_000 }),
    fc.integer({ min: 0, max: 99_999_999 }).map((cents) => cents / 100),
  )
  const hostile = fc.oneof(
    fc.double({ min: 0, max: 1e9, noNaN: true }),
    fc.constantFrom(-1, 1e300, 0.1 + 0.2, 5e-324, null, '1', 123_456_789.012_345),
  )
  const amount = fc.oneof({ arbitrary: plain, weight: 60 }, { arbitrary: hostile, weight: 1 })
  const levels = fc.array(amount, { maxLength: 7 })
  const raw = fc.record(
    {
      time: fc.oneof(
        fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }),
        fc.integer({ min: 1, max: 2_000_000_000 }),
      ),
      stock_code: fc.constantFrom('600036.SH', '000001', '300750.SZ', '600000', '.SH600036'),
      lastPrice: amount,
      open: amount,
      high: amount,
      low: amount,
      lastClose: amount,
      volume: amount,
      amount,
      bidPrice: levels,
      askPrice: levels,
      bidVol: levels,
      askVol: levels,
      extra: fc.oneof(amount, fc.string(), levels),
    },
    { requiredKeys: ['time', 'stock_code', 'lastPrice'] },
  )
  const spacing = fc.constantFrom('', ' ', '\t')
  const cut = fc.nat({ max: 400 })
  const lines = new TickLines()
  let taken = 0
  fc.assert(
    fc.property(raw, spacing, fc.option(cut, { freq: 4 }), (fields, space, at) => {
      const whole = JSON.stringify(fields).replaceAll(',"', `,${space}"`)
      const text = at === null ? whole : whole.slice(0, at)
      const tick = scanned(lines, text)
      if (tick === undefined) return
      taken += 1
      deepStrictEqual(tick, value(parse(text)))
    }),
    { numRuns: 3_000 },
  )
  if (taken < 300) throw new Error(`only ${taken} lines were read from their bytes`)
})
