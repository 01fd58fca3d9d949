import { price, shares } from './format.ts'
import { prefs } from './prefs.ts'
import { said, told } from './said.ts'
import { t, tMaybe } from './texts.ts'
import type { OrderRow } from './wire.ts'

const LIMIT = 11

/** At what an order may trade: its price, or what it asks for instead of one. */
export function orderPrice({ price_type: type, price: at, stock_code: code }: OrderRow): string {
  const limit = at > 0 ? price(at, code) : t('order.market')
  return type === undefined || type === LIMIT ? limit : tMaybe(`price.${type}`, limit)
}

/** What states are called by the trading client itself: told as a message they say nothing new. */
const STATES =
  /^(未报|待报|已报|已报待撤|部成待撤|部撤|已撤|部成|已成|废单|未知|结果未知，正在核实)$/

/** What the trading client says beyond the state of an order; empty when that is all it says. */
export function orderMessage(order: OrderRow): string {
  const { status_desc: text, refusal_explanation: why, amendment } = order
  if (amendment !== undefined) {
    const at = price(amendment.price, order.stock_code)
    const words = { price: at, volume: shares(amendment.volume), why: said(amendment.message) }
    return t(`order.amend.${amendment.state}`, words)
  }
  if (STATES.test(text.trim())) return ''
  return prefs.language === 'en' && why ? why : told(text)
}
