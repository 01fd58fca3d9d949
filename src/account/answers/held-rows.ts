import type { StockCode } from '../../domain/instrument.ts'
import type { Position } from '../../domain/position.ts'
import type { Quote } from '../../ports/quotes.port.ts'
import {
  type PositionRow,
  positionRow,
  pricesOf,
  type RowMarks,
  type RowPrices,
  shortRow,
} from './rows.ts'

/** Columns that move with the price, by the name under which they are shown. */
const MOVING: ReadonlyMap<string, keyof RowPrices> = new Map([
  ['current_price', 'current_price'],
  ['market_value', 'market_value'],
  ['市值', 'market_value'],
  ['profit_amount', 'profit_amount'],
  ['profit_ratio', 'profit_ratio'],
  ['change_percentage', 'change_percentage'],
  ['is_priced', 'is_priced'],
])

/** What stands between two prices: as text where that is plain enough to be put together with theirs. */
type Between = string | Uint8Array

const isPlain = (text: string): boolean => Buffer.byteLength(text) === text.length

/** JSON of an object with gaps where its prices are; all else is encoded once, for as long as it stays. */
class Template {
  readonly #head: Uint8Array
  readonly #between: Between[] = []
  readonly #moving: (keyof RowPrices)[] = []
  readonly #tail: Uint8Array

  constructor(shown: Readonly<Record<string, unknown>>) {
    const texts = ['{']
    let isFirst = true
    for (const [column, value] of Object.entries(shown)) {
      const moving = MOVING.get(column)
      const name = `${isFirst ? '' : ','}${JSON.stringify(column)}:`
      isFirst = false
      texts[texts.length - 1] += moving === undefined ? name + JSON.stringify(value) : name
      if (moving === undefined) continue
      this.#moving.push(moving)
      texts.push('')
    }
    const [head = '', ...between] = texts
    const tail = between.pop() ?? ''
    this.#head = Buffer.from(head)
    this.#tail = Buffer.from(`${tail}}`)
    this.#between = between.map((text) => (isPlain(text) ? text : Buffer.from(text)))
  }

  /** The JSON of the object at these prices. */
  at(prices: RowPrices): Uint8Array {
    const parts: Uint8Array[] = [this.#head]
    let text = ''
    for (let gap = 0; gap < this.#moving.length; gap++) {
      text += valueText(prices[this.#moving[gap] as keyof RowPrices])
      const between = this.#between[gap] ?? ''
      if (typeof between === 'string') text += between
      else {
        parts.push(Buffer.from(text, 'latin1'), between)
        text = ''
      }
    }
    parts.push(Buffer.from(text, 'latin1'), this.#tail)
    return joined(parts)
  }
}

/** As JSON spells it: what is no number is null. */
const valueText = (value: number | boolean): string =>
  typeof value === 'boolean' || Number.isFinite(value) ? `${value}` : 'null'

/** One after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** A list in which holdings are shown. */
export type Shape = 'full' | 'short' | 'gateway'
/** A row as the gateway shows it, which depends on its account too. */
type GatewayRow = (row: PositionRow) => Readonly<Record<string, unknown>>

/** One holding as it is shown now. */
export class HeldRow {
  readonly row: PositionRow
  readonly position: Position
  readonly marks: RowMarks
  readonly #gatewayRow: GatewayRow
  /** By the holding and its marks alone. */
  readonly #templates: Map<Shape, Template>
  readonly #bytes = new Map<Shape, Uint8Array>()

  private constructor(
    shown: { readonly position: Position; readonly marks: RowMarks; readonly row: PositionRow },
    gatewayRow: GatewayRow,
    templates: Map<Shape, Template>,
  ) {
    this.position = shown.position
    this.marks = shown.marks
    this.row = shown.row
    this.#gatewayRow = gatewayRow
    this.#templates = templates
  }

  static of(
    position: Position,
    quote: Quote | undefined,
    { marks, gatewayRow }: { readonly marks: RowMarks; readonly gatewayRow: GatewayRow },
  ): HeldRow {
    const row = positionRow(position, quote, marks)
    return new HeldRow({ position, marks, row }, gatewayRow, new Map())
  }

  /** The same holding at another price; itself when nothing that is shown has moved. */
  at(quote: Quote | undefined): HeldRow {
    const prices = pricesOf(this.position, quote)
    const { row, position, marks } = this
    if (
      prices.current_price === row.current_price &&
      prices.change_percentage === row.change_percentage &&
      prices.is_priced === row.is_priced
    ) {
      return this
    }
    const moved = { position, marks, row: { ...row, ...prices } }
    return new HeldRow(moved, this.#gatewayRow, this.#templates)
  }

  /** JSON of it in one of the lists. */
  bytes(shape: Shape): Uint8Array {
    const known = this.#bytes.get(shape)
    if (known !== undefined) return known
    const bytes = this.#template(shape).at(this.row)
    this.#bytes.set(shape, bytes)
    return bytes
  }

  #template(shape: Shape): Template {
    const known = this.#templates.get(shape)
    if (known !== undefined) return known
    const template = new Template(this.#shown(shape))
    this.#templates.set(shape, template)
    return template
  }

  #shown(shape: Shape): Readonly<Record<string, unknown>> {
    if (shape === 'full') return this.row
    return shape === 'short' ? shortRow(this.row) : this.#gatewayRow(this.row)
  }
}

/** The holdings of an account as they were shown last: a row is made anew where what it shows has changed, and only there. */
export class HeldRows {
  readonly #gatewayRow: GatewayRow
  readonly #known = new Map<StockCode, HeldRow>()

  constructor(gatewayRow: GatewayRow) {
    this.#gatewayRow = gatewayRow
  }

  of(position: Position, quote: Quote | undefined, marks: RowMarks): HeldRow {
    const known = this.#known.get(position.code)
    const isSame =
      known?.position === position &&
      known.marks.name === marks.name &&
      known.marks.why === marks.why &&
      known.marks.isGridActive === marks.isGridActive
    const row = isSame
      ? known.at(quote)
      : HeldRow.of(position, quote, { marks, gatewayRow: this.#gatewayRow })
    if (row !== known) this.#known.set(position.code, row)
    return row
  }

  /** Forgets what is not held any more. */
  keepOnly(held: ReadonlyMap<StockCode, Position>): void {
    if (this.#known.size <= held.size) return
    for (const code of this.#known.keys()) if (!held.has(code)) this.#known.delete(code)
  }
}
