import t from 'tap'

// The list is that of a browser; here there is none.
const kept = new Map<string, string>()
Object.assign(globalThis, {
  localStorage: {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
})
const { readable, rowOf, unwatch, watched, watchStock, WATCHED_MAX } = await import(
  '../../web/console/watch-list.ts'
)
const BANK = { code: '600036.SH', name: '招商银行' }

t.test('a stock is on the list once, and leaves it', async (t) => {
  t.ok(watchStock(BANK) && watchStock(BANK))
  t.strictSame([...watched], [BANK])
  unwatch('000001.SZ')
  unwatch(BANK.code)
  t.strictSame([...watched], [])
})

t.test('there is room for so many', async (t) => {
  for (let i = 0; i < WATCHED_MAX; i++) {
    t.ok(watchStock({ code: `${600_000 + i}.SH`, name: '' }))
  }
  t.notOk(watchStock(BANK))
  t.equal(watched.length, WATCHED_MAX)
})

t.test('what is no list in the browser is none', async (t) => {
  t.strictSame(readable(undefined), [])
  t.strictSame(readable({ code: '600036.SH' }), [])
  t.strictSame(readable([BANK, null, 7, { code: 'x' }, { code: '600036.SH' }]), [BANK])
})

t.test('a quote that says nothing is no price of nothing', async (t) => {
  t.match(rowOf(BANK, undefined), { price: undefined, change: undefined })
  const tick = {
    lastPrice: 0,
    lastClose: 36,
    open: 0,
    high: 0,
    low: 0,
    volume: 0,
    time: 1,
  } as never
  t.match(rowOf(BANK, tick), { price: undefined, change: undefined, open: undefined })
  const traded = { lastPrice: 36.9, lastClose: 36, open: 36, high: 37, low: 35, time: 1 } as never
  t.match(rowOf(BANK, traded), { price: 36.9, change: 2.5 })
})
