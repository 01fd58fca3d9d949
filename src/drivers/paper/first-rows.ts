import { normalizeCode } from '../../domain/instrument.ts'
import { moneyFromYuan, type Quantity, reportedPrice } from '../../domain/money.ts'
import type { Holding } from './books.ts'
import type { PaperConfig, PaperPosition } from './config.ts'
import type { FirstRows } from './store.ts'

/** The books of an account that has none yet. Throws on a code that names no exchange. */
export function firstRows({ cash, positions }: PaperConfig): FirstRows {
  const ledger = { cash: moneyFromYuan(cash), day: '', session: 1, orderSeq: 0, dealSeq: 0 }
  return { ledger, holdings: positions.map(holdingOf) }
}

function holdingOf(position: PaperPosition): Holding {
  const code = normalizeCode(position.stock_code)
  if (!code.ok) throw new Error(`paper position ${position.stock_code}: ${code.error}`)
  return {
    code: code.value,
    name: position.stock_name,
    quantity: position.volume as Quantity,
    locked: Math.max(0, position.volume - position.available) as Quantity,
    costPrice: reportedPrice(position.cost_price),
    openDate: position.open_date,
  }
}
