import t from 'tap'
import { v1PositionRow } from '../../../src/account/answers/gateway.ts'
import { HeldRow, HeldRows } from '../../../src/account/answers/held-rows.ts'
import { render, VIEWS } from '../../../src/account/answers/index.ts'
import type { RowMarks } from '../../../src/account/answers/rows.ts'
import type { ViewInputs } from '../../../src/account/answers/view.ts'
import { NOTHING_THOUGHT, type WhyFields } from '../../../src/account/answers/why.ts'
import type { StockCode } from '../../../src/domain/instrument.ts'
import type { Price, Quantity } from '../../../src/domain/money.ts'
import type { Position } from '../../../src/domain/position.ts'
import type { Quote } from '../../../src/ports/quotes.port.ts'
import { Bench, brokerPosition, holder, MORNING_MS, policy, quote } from '../fixture.ts'

const SEEDS = 40
const MOVES = 60
const RESOURCES = ['positions', 'positionsAll', 'v1Positions'] as const
const NAMES = ['招商银行', '', 'a"b\\c', '\u2028名\ud800', '"current_price":1', '*ST 测试']

const WHYS: readonly WhyFields[] = [
  NOTHING_THOUGHT,
  {
    why_zh: '未卖出："止损" 10.48',
    why_en: 'not sold',
    why: { state: 'waits_breakout', stop: 10.48 },
  },
  { why_zh: '', why_en: '', why: { current_price: 1 } },
]

/** Numbers of a seed; the same ones in every run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed + 1
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** An account whose holdings, prices and names change at random, and the two ways to show it. */
class Scene {
  readonly #bench = new Bench()
  readonly #pick: (below: number) => number
  readonly #quotes = new Map<StockCode, Quote>()
  readonly #grids = new Set<StockCode>()
  readonly #rows = new HeldRows(v1PositionRow(this.#bench.state))
  readonly #names = new Map<StockCode, string>()
  readonly #whys = new Map<StockCode, number>()

  constructor(seed: number) {
    this.#pick = randomOf(seed)
  }

  move(): void {
    const code = `60000${this.#pick(6)}.SH` as StockCode
    const { positions } = this.#bench.state
    const held = positions.get(code)
    const moves = [
      () => positions.set(code, this.#holding(code)),
      () => positions.delete(code),
      () => held && positions.set(code, { ...held, ...this.#memory() }),
      () => this.#quotes.set(code, this.#quote()),
      () => this.#quotes.set(code, this.#quote()),
      () => this.#quotes.delete(code),
      () => this.#names.set(code, NAMES[this.#pick(NAMES.length)] ?? ''),
      () => this.#whys.set(code, this.#pick(WHYS.length)),
      () => (this.#grids.has(code) ? this.#grids.delete(code) : this.#grids.add(code)),
      () => {
        this.#bench.state.dataVersion += 1
      },
    ]
    moves[this.#pick(moves.length)]?.()
  }

  /** With rows kept from one look to the next. */
  kept(): ViewInputs {
    const { positions } = this.#bench.state
    this.#rows.keepOnly(positions)
    return this.#inputs((position, marks) =>
      this.#rows.of(position, this.#quotes.get(position.code), marks),
    )
  }

  /** With every row made for this look alone. */
  plain(): ViewInputs {
    const gatewayRow = v1PositionRow(this.#bench.state)
    return this.#inputs((position, marks) =>
      HeldRow.of(position, this.#quotes.get(position.code), { marks, gatewayRow }),
    )
  }

  #inputs(row: (position: Position, marks: RowMarks) => HeldRow): ViewInputs {
    const { state } = this.#bench
    return {
      state,
      row: (position) =>
        row(position, {
          isGridActive: this.#grids.has(position.code),
          name: this.#names.get(position.code) ?? position.name,
          why: WHYS[this.#whys.get(position.code) ?? 0] ?? NOTHING_THOUGHT,
        }),
      records: [],
      stockPool: [],
      isFeedAvailable: true,
      nowMs: MORNING_MS,
      quote: (code) => this.#quotes.get(code),
    }
  }

  #holding(code: StockCode): Position {
    const { state } = holder()
    const [held] = state.positions.values()
    if (held === undefined) throw new Error('it is held')
    return { ...held, ...this.#memory(), code, name: NAMES[this.#pick(NAMES.length)] ?? '' }
  }

  #memory(): Partial<Position> {
    const pick = this.#pick
    return {
      quantity: pick(100_000) as Quantity,
      sellable: pick(1_000) as Quantity,
      costPrice: (pick(3) === 0 ? -pick(1_000) : pick(10_000_000)) as Price,
      highestPrice: pick(10_000_000) as Price,
      profitTriggered: pick(2) === 0,
      updatedMs: MORNING_MS + pick(100_000),
    }
  }

  #quote(): Quote {
    const price = this.#pick(4) === 0 ? 0 : this.#pick(10_000_000) / 10_000
    const lastClose = (this.#pick(4) === 0 ? 0 : this.#pick(10_000_000)) as Price
    return { ...quote(price), lastClose }
  }
}

/** What is shown, and what would be by way of the object. */
function both(scene: Scene, resource: (typeof RESOURCES)[number]): readonly [string, string] {
  const { view, isOpenEnded } = VIEWS[resource]
  const plain = JSON.stringify(view(scene.plain()))
  const expected = Buffer.from(isOpenEnded ? plain.slice(0, -1) : plain).toString()
  return [Buffer.from(render(resource, scene.kept())).toString(), expected]
}

/** Undefined when all looks were the same. */
function firstDifference(seed: number): readonly [string, string] | undefined {
  const scene = new Scene(seed)
  for (let move = 0; move < MOVES; move++) {
    scene.move()
    for (const resource of RESOURCES) {
      const [shown, expected] = both(scene, resource)
      if (shown !== expected) return [shown, expected]
    }
  }
  return undefined
}

t.test('lists put together from rows that are kept are those made at once, to the byte', (t) => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const [shown, expected] = firstDifference(seed) ?? ['', '']
    t.equal(shown, expected, `seed ${seed}`)
  }
  t.end()
})

t.test('a row is made anew where what it shows has changed, and only there', (t) => {
  const { state } = holder()
  const rows = new HeldRows(v1PositionRow(state))
  const [position] = state.positions.values()
  if (position === undefined) throw new Error('it is held')
  const marks = { isGridActive: false, name: '招商银行', why: NOTHING_THOUGHT }
  const first = rows.of(position, quote(36), marks)
  t.equal(rows.of(position, quote(36, MORNING_MS + 1), { ...marks }), first)
  const moved = rows.of(position, quote(36.01), marks)
  t.not(moved, first)
  t.match(JSON.parse(Buffer.from(moved.bytes('full')).toString()), { current_price: 36.01 })
  t.equal(first.row.current_price, 36, 'who has the old one keeps it')
  t.not(rows.of(position, quote(36.01), { ...marks, isGridActive: true }), moved)
  const told = { ...marks, isGridActive: true, why: { ...NOTHING_THOUGHT, why_en: 'stop at 9.25' } }
  t.match(rows.of(position, quote(36.01), told).row, { why_en: 'stop at 9.25' })
  const other = { ...position, highestPrice: 400_000 as Price }
  t.match(rows.of(other, quote(36.01), marks).row, { highest_price: 40 })
  t.end()
})

t.test('what is not held any more is forgotten', (t) => {
  const bench = new Bench().ready([brokerPosition()])
  t.equal(bench.state.policy, policy)
  const rows = new HeldRows(v1PositionRow(bench.state))
  const [position] = bench.state.positions.values()
  if (position === undefined) throw new Error('it is held')
  const marks = { isGridActive: false, name: '', why: NOTHING_THOUGHT }
  const first = rows.of(position, undefined, marks)
  rows.keepOnly(bench.state.positions)
  t.equal(rows.of(position, undefined, marks), first)
  rows.keepOnly(new Map())
  t.not(rows.of(position, undefined, marks), first)
  t.end()
})
