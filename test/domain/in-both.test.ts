import fc from 'fast-check'
import t from 'tap'
import { about, inBoth, inQuotes, withoutCodes } from '../../src/domain/in-both.ts'

const CASES: readonly (readonly [name: string, text: string, zh: string, en: string])[] = [
  ['plain', '委托已终结 (the order has ended)', '委托已终结', 'the order has ended'],
  ['without English', '委托已提交', '委托已提交', '委托已提交'],
  [
    'without Chinese',
    'limit: must be 1 (or more)',
    'limit: must be 1 (or more)',
    'limit: must be 1 (or more)',
  ],
  ['empty', '', '', ''],
  [
    'brackets within brackets',
    '存疑，请核对 (look at the terminal (twice), then POST /api/orders/<id>/resolve)',
    '存疑，请核对',
    'look at the terminal (twice), then POST /api/orders/<id>/resolve',
  ],
  [
    'a code in front',
    '[LOT_SIZE] 不足一手 (below one lot)',
    '[LOT_SIZE] 不足一手',
    '[LOT_SIZE] below one lot',
  ],
  [
    'fields of a request',
    'price: 须大于 0 (must be above 0); order_volume: 必填 (is missing)',
    'price: 须大于 0; order_volume: 必填',
    'price: must be above 0; order_volume: is missing',
  ],
  [
    'one that speaks of all before it',
    '拒绝委托 买入 600036.SH：可用资金不足 (insufficient cash) [INSUFFICIENT_CASH] (order denied)',
    '拒绝委托 买入 600036.SH：可用资金不足 [INSUFFICIENT_CASH]',
    'order denied: insufficient cash [INSUFFICIENT_CASH]',
  ],
  ['one after another', '未下单 (no order)：停牌 (halted)', '未下单：停牌', 'no order: halted'],
  [
    'one beside another',
    '在途 (open)，最迟 10:00 到时 (its time is up then)；保留 (kept)',
    '在途，最迟 10:00 到时；保留',
    'open, its time is up then; kept',
  ],
  [
    'Chinese goes on',
    '总开关关闭 (the master switch is off)，自 2026-08-11 10:00:00 起',
    '总开关关闭，自 2026-08-11 10:00:00 起',
    'the master switch is off',
  ],
  ['names after it', '2 项未保存 (not saved): a, b', '2 项未保存：a, b', 'not saved: a, b'],
  ['numbers in brackets are none', '状态 (57) 不可撤', '状态 (57) 不可撤', '状态 (57) 不可撤'],
  ['Chinese in brackets is none', '平安银行 (A 股)', '平安银行 (A 股)', '平安银行 (A 股)'],
  [
    'wide brackets are none',
    '令牌（admin）已添加 (token added)',
    '令牌（admin）已添加',
    'token added',
  ],
  ['no space before it', '界限(limit)', '界限(limit)', '界限(limit)'],
  ['never closed', '委托 (no end', '委托 (no end', '委托 (no end'],
  [
    'a quoted word of a person',
    '急停生效：“午间检查 (back at one)” (the kill switch is at entries)',
    '急停生效：“午间检查 (back at one)”',
    'the kill switch is at entries: “午间检查 (back at one)”',
  ],
  [
    'quoted, and within another text',
    '拒绝委托：急停生效：“吃饭 (lunch)” (the kill switch is up) [KILL_SWITCH] (order denied)',
    '拒绝委托：急停生效：“吃饭 (lunch)” [KILL_SWITCH]',
    'order denied: the kill switch is up: “吃饭 (lunch)” [KILL_SWITCH]',
  ],
  ['quoted in both', '模板“稳 (1)” (template “稳 (1)”)', '模板“稳 (1)”', 'template “稳 (1)”'],
  [
    'as earlier releases put a person’s words behind it',
    '急停已启用 (the kill switch is at all): 午间检查 (back at one)',
    '急停已启用：午间检查 (back at one)',
    'the kill switch is at all: 午间检查 (back at one)',
  ],
]

t.test('a text of ours is taken apart into its two languages', async (t) => {
  for (const [name, text, zh, en] of CASES) t.strictSame(inBoth(text), { zh, en }, name)
})

t.test('no text loses a language, and nothing that somebody has said is lost', async (t) => {
  const word = fc.constantFrom(
    '中文',
    'ab',
    ' (en)',
    ' (',
    ')',
    '“',
    '”',
    '：',
    '，',
    ': ',
    '[X_1]',
    '7',
  )
  const text = fc.array(word, { maxLength: 14 }).map((words) => words.join(''))
  const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((some) => some.join(''))
  fc.assert(
    fc.property(text, (any) => {
      const { zh, en } = inBoth(any)
      t.ok(any === '' || any.trim() === '' || (zh.length > 0 && en.length > 0), any)
    }),
  )
  fc.assert(
    fc.property(words, (said) => {
      const quoted = inQuotes(said)
      const { zh, en } = inBoth(`急停生效：${quoted} (the kill switch is up)`)
      t.equal(zh, `急停生效：${quoted}`)
      t.equal(en, `the kill switch is up: ${quoted}`)
    }),
  )
})

t.test('codes of ours are left out of a text, never of what somebody has said', async (t) => {
  const rows = [
    ['[LOT_SIZE] 不足一手', '不足一手'],
    ['拒绝委托：资金不足 [INSUFFICIENT_CASH]', '拒绝委托：资金不足'],
    ['未买入：停牌 [suspended]；再试', '未买入：停牌；再试'],
    ['急停：“见 [ABC] 一文” [KILL_SWITCH]', '急停：“见 [ABC] 一文”'],
    ['柜台 [251005] 资金不足', '柜台 [251005] 资金不足'],
  ] as const
  for (const [text, without] of rows) t.equal(withoutCodes(text), without)
})

t.test('what a text is about stands in front in both languages', async (t) => {
  const stock = { zh: '600036 ', en: '600036 ' }
  const text = about(stock, '急停生效：“午休 (noon)” (the kill switch is at all)')
  t.strictSame(inBoth(text), {
    zh: '600036 急停生效：“午休 (noon)”',
    en: '600036 the kill switch is at all: “午休 (noon)”',
  })
  t.equal(about({ zh: '2 只', en: '2 stocks: ' }, '停牌'), '2 只停牌', 'one language alone')
})

t.test('nobody’s words are no quotation', async (t) => {
  t.equal(inQuotes(''), '')
  t.equal(inQuotes('a “b” (c)'), "“a 'b' (c)”")
})
