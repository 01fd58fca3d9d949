import { bareCode } from '../shared/format.ts'

/** What is known of an order that entries of the journal name by our own key. */
export interface KnownOrder {
  readonly orderId: string
  readonly code: string
}
export type KnownOrders = ReadonlyMap<string, KnownOrder>

/** Our own keys of orders. */
const KEY = /\b[0-9A-HJKMNP-TV-Z]{26}\b/g
const CODE = /\b(\d{6})\.(?:SH|SZ|BJ)\b/g
const TAIL = 6

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
/** Of a stock: a refusal has its own `code`. */
const stockOf = (of: Readonly<Record<string, unknown>>): string =>
  [of['stockCode'], of['code']].map(text).find((code) => /^\d{6}\b/.test(code)) ?? ''

/** What the bodies of entries tell of orders: stock and number of the trading client, by our key. */
export function ordersIn(bodies: readonly unknown[]): Map<string, KnownOrder> {
  const found = new Map<string, KnownOrder>()
  for (const body of bodies) {
    if (!isObject(body)) continue
    for (const part of [body, ...Object.values(body)]) if (isObject(part)) note(found, body, part)
  }
  return found
}

function note(found: Map<string, KnownOrder>, whole: object, part: object): void {
  const fields: Readonly<Record<string, unknown>> = { ...whole, ...part }
  const key = text(fields['clientOrderId'])
  if (key === '') return
  const before = found.get(key)
  const orderId = text(fields['orderId']) || (before?.orderId ?? '')
  const code = stockOf(fields) || (before?.code ?? '')
  found.set(key, { orderId, code })
}

/** Which order and which stock an entry is about. */
export function subjectOf(body: unknown, orders: KnownOrders): KnownOrder {
  const [own] = ordersIn([body]).entries()
  const known = own === undefined ? undefined : orders.get(own[0])
  const orderId = own?.[1].orderId || known?.orderId || ''
  const code = own?.[1].code || known?.code || codeIn(body)
  return { orderId, code }
}

function codeIn(body: unknown): string {
  if (!isObject(body)) return ''
  for (const part of [body, ...Object.values(body)]) {
    const code = isObject(part) ? stockOf(part) : ''
    if (code !== '') return code
  }
  return ''
}

/**
 * A summary as a person reads it: stocks by name, orders by the number of the trading client; a key that nobody
 * knows by its end.
 */
export const readable = (
  summary: string,
  { orders, nameOf }: { readonly orders: KnownOrders; readonly nameOf: (code: string) => string },
): string =>
  summary
    .replace(KEY, (key) => orders.get(key)?.orderId || `…${key.slice(-TAIL)}`)
    .replace(CODE, (code) => {
      const name = nameOf(code)
      return name === bareCode(code) ? name : `${name} ${bareCode(code)}`
    })
