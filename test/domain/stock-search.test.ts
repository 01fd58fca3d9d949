import t from 'tap'
import { work } from '../../actors/pool/sounds.worker.ts'
import { WELL_KNOWN } from '../../src/domain/data/well-known.ts'
import { normalizeCode } from '../../src/domain/instrument.ts'
import { boardOf } from '../../src/domain/rules.ts'
import { plainName } from '../../src/domain/stock-filter.ts'
import {
  type Findable,
  findable,
  searchStocks,
  unpackSounds,
} from '../../src/domain/stock-search.ts'
import { Progress } from '../../src/jobs/pool-work.ts'

async function soundsOf(names: readonly string[]) {
  const outcome = await work({ input: names, progress: new Progress().memory })
  if (!outcome.ok) throw new Error('no sounds')
  return (outcome.value as string[]).map(unpackSounds)
}

/** Stocks as they are looked for, `600036.SH 招商银行`. */
async function stocksOf(rows: readonly string[]): Promise<readonly Findable[]> {
  const named = rows.map((row) => ({ code: row.slice(0, 9), name: plainName(row.slice(10)) }))
  const sounds = await soundsOf(named.map(({ name }) => name))
  return named.map(({ code, name }, index) => findable(code, name, sounds[index] ?? []))
}

const STOCKS = await stocksOf([
  '600036.SH 招商银行',
  '601398.SH 工商银行',
  '600000.SH 浦发银行',
  '001979.SZ 招商蛇口',
  '600729.SH 重庆百货',
  '000625.SZ 长安汽车',
  '600549.SH 厦门钨业',
  '600900.SH 长江电力',
  '600519.SH 贵州茅台',
  '000002.SZ 万  科Ａ',
  '300391.SZ *ST长药',
  '000100.SZ TCL科技',
  '510300.SH 沪深300ETF',
  '300729.SZ 乐歌股份',
  '920002.BJ 万达轴承',
  '600003.SH 三六零',
])
const find = (text: string, own: readonly string[] = []) =>
  searchStocks(STOCKS, text, { limit: 5, isOwn: (code) => own.includes(code) }).map(
    ({ code }) => code,
  )

t.test('a stock is found by code, name, initials and spelling, the best first', async (t) => {
  const rows: readonly [text: string, first: string][] = [
    ['600036', '600036.SH'],
    ['sh600036', '600036.SH'],
    ['600036.SH', '600036.SH'],
    ['６０００３６', '600036.SH'],
    ['920002', '920002.BJ'],
    ['招商', '001979.SZ'],
    ['招商银行', '600036.SH'],
    ['zsyh', '600036.SH'],
    ['ZSYH', '600036.SH'],
    ['zhaoshangyinhang', '600036.SH'],
    ['zhao shang yin', '600036.SH'],
    ['zhsyh', '600036.SH'],
    ['zhaosyinh', '600036.SH'],
    ['gsyh', '601398.SH'],
    ['cqbh', '600729.SH'],
    ['caqc', '000625.SZ'],
    ['chang an', '000625.SZ'],
    ['xmwy', '600549.SH'],
    ['xiamen', '600549.SH'],
    ['cjdl', '600900.SH'],
    ['maotai', '600519.SH'],
    ['茅台', '600519.SH'],
    ['wka', '000002.SZ'],
    ['万科a', '000002.SZ'],
    ['stcy', '300391.SZ'],
    ['tclkj', '000100.SZ'],
    ['300etf', '510300.SH'],
    ['hs300', '510300.SH'],
    ['lggf', '300729.SZ'],
  ]
  for (const [text, first] of rows) t.equal(find(text)[0], first, text)
})

t.test('what a text does not say is not found', async (t) => {
  for (const text of ['', ' ', 'zsyhx', 'zsxh', '招行', '9', '?', 'zhaoh', '*']) {
    t.notOk(find(text).includes('600036.SH'), text)
  }
  t.strictSame(find('600'), ['600000.SH', '600003.SH', '600036.SH', '600519.SH', '600549.SH'])
  t.strictSame(find('6000361'), [], 'seven digits are no stock')
})

t.test('another reading than the likeliest one finds less well', async (t) => {
  t.strictSame(find('zjdl'), ['600900.SH'], 'it does find')
  const [first] = searchStocks(
    await stocksOf(['600900.SH 长江电力', '600001.SH 中交地铝']),
    'zjdl',
    { limit: 5, isOwn: () => false },
  )
  t.equal(first?.code, '600001.SH')
})

t.test(
  'of two that fit alike the one that the account has comes first, then the lower code',
  async (t) => {
    t.strictSame(find('yh'), ['600000.SH', '600036.SH', '601398.SH'])
    t.strictSame(find('yh', ['601398.SH']), ['601398.SH', '600000.SH', '600036.SH'])
    t.equal(find('zsyh', ['001979.SZ'])[0], '600036.SH', 'but the better fit before that')
  },
)

t.test(
  'every well-known stock has a code of a board here, once, and is found by its initials',
  async (t) => {
    const codes = WELL_KNOWN.map(([digits]) => {
      const code = normalizeCode(digits)
      return code.ok && boardOf(code.value) !== undefined ? code.value : `not traded: ${digits}`
    })
    t.notOk(codes.some((code) => code.startsWith('not')))
    t.equal(new Set(codes).size, WELL_KNOWN.length)
    t.equal(new Set(WELL_KNOWN.map(([, name]) => name)).size, WELL_KNOWN.length)
    t.ok(WELL_KNOWN.length >= 300)
    const stocks = await stocksOf(WELL_KNOWN.map(([, name], index) => `${codes[index]} ${name}`))
    for (const { code, name, sounds } of stocks) {
      const initials = sounds
        .map(([likeliest = '']) => (/^\p{Script=Han}/u.test(name) ? likeliest[0] : likeliest))
        .join('')
      const found = searchStocks(stocks, initials, { limit: 20, isOwn: () => false })
      if (!found.some((stock) => stock.code === code)) t.fail(`${name} is not found by ${initials}`)
    }
  },
)
