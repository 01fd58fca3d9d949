import { createHmac } from 'node:crypto'

/** Frames of the sidecar: first what greets, then calls, answers, events, ticks and signs of life. */
export type FromSidecar =
  | {
      readonly t: 'greet'
      readonly magic: string
      readonly version: readonly number[]
      readonly nonce: string
    }
  | {
      readonly t: 'refused'
      readonly code: string
      readonly text: string
      /** With `FENCED`: the latest owner's, and whether a client is connected now. */
      readonly epoch?: number
      readonly is_served?: boolean
    }
  | ({ readonly t: 'welcome'; readonly proof: string } & Welcome)
  /** Everything that was missed has been told again. */
  | { readonly t: 'live' }
  | {
      readonly t: 'answer'
      readonly id: number
      readonly ok: true
      readonly r: Readonly<Record<string, unknown>>
    }
  | { readonly t: 'answer'; readonly id: number; readonly ok: false; readonly e: WireFault }
  | { readonly t: 'event'; readonly e: SidecarEvent }
  /** Newest ticks: a code each, and {@link TICK_BYTES} of doubles each, little-endian. */
  | { readonly t: 'ticks'; readonly c: readonly string[]; readonly d: Uint8Array }
  | {
      readonly t: 'beat'
      readonly leaked: number
      readonly orders: number
      readonly queries: number
    }
  /** Too many calls never came back, or an order stands in one for too long: it ends, and a new one must be started. */
  | { readonly t: 'wedged'; readonly leaked: number; readonly text?: string }

/** What a sidecar says of itself. */
export interface Welcome {
  readonly version: readonly number[]
  readonly role: 'trade' | 'market'
  readonly pid: number
  readonly python: string
  readonly xtquant: { readonly path: string; readonly version: string }
  readonly capabilities: readonly string[]
  /** Which script it is, where one is generated. */
  readonly digest?: string
  /** Names the sequence of event numbers; only where orders are placed. */
  readonly journal?: string
  readonly seq?: number
}

/** The answer to a query: rows, and in words each that could not be read. */
export interface WireReport {
  readonly rows: readonly unknown[]
  /** Their number, where the other side only counts them. */
  readonly left_out?: readonly string[] | number
}

interface WireFault {
  readonly code: string
  readonly text: string
}

/**
 * An order as the sidecar reads it off the broker. Prices in yuan, time in epoch ms. What the terminal lists
 * without a number is called `sysid:` and the counter's number, or else `row:` and what was ordered when.
 */
export interface OrderRow {
  readonly order_id: string
  readonly client_order_id: string
  readonly code: string
  readonly order_type: number
  readonly quantity: number
  readonly price_type: number
  readonly price: number
  readonly traded: number
  readonly traded_price: number
  readonly status: number
  readonly text: string
  readonly time: number
  /** The terminal has told no time: it is that at which the sidecar has heard of it. */
  readonly is_undated?: boolean
  readonly strategy: string
  /** Its number was that of an order of ours, which has another one by now. */
  readonly has_former_number?: boolean
}
export interface DealRow {
  readonly deal_id: string
  readonly order_id: string
  readonly client_order_id: string
  readonly code: string
  readonly order_type: number
  readonly quantity: number
  readonly price: number
  readonly amount: number
  readonly fee: number
  readonly time: number
  /** The terminal has told no time: it is that at which the sidecar has heard of it. */
  readonly is_undated?: boolean
  readonly strategy: string
}
export interface PositionRow {
  readonly code: string
  readonly name: string
  readonly quantity: number
  readonly sellable: number
  readonly cost: number
  /** The shareholder's number by which it is held; empty or absent where nobody tells. */
  readonly holder?: string
}
export interface AssetRow {
  readonly cash: number
  readonly frozen: number
  readonly market_value: number
  readonly total: number
}

/** What the terminal knows of a code. Prices in yuan; 0, null or absent = not known. */
export interface InstrumentRow {
  readonly name: string
  readonly up: number
  readonly down: number
  readonly pre_close: number
  readonly tick: number
  readonly lot_min: number
}

/** `seq` stands on what is kept and told again; the rest says how things stand, once. */
export type SidecarEvent =
  | { readonly kind: 'order'; readonly seq: number; readonly row: OrderRow }
  | { readonly kind: 'deal'; readonly seq: number; readonly row: DealRow }
  | {
      readonly kind: 'placed'
      readonly seq: number
      readonly client_order_id: string
      readonly order_id: string
    }
  | {
      readonly kind: 'refused'
      readonly seq: number
      readonly client_order_id: string
      readonly text: string
    }
  | { readonly kind: 'position'; readonly row: PositionRow }
  | { readonly kind: 'asset'; readonly row: AssetRow }
  | { readonly kind: 'account_status'; readonly status: number }
  | { readonly kind: 'disconnected'; readonly text: string }
  /** A push that cannot be read: which, and which field of it. */
  | { readonly kind: 'left_out'; readonly text: string }

export const MAGIC = 'steward-xt'
/** Major and minor: another major is refused, another minor adds only. */
export const VERSION = [1, 1] as const

/** Shows that one knows the token without sending it. */
export const proofOf = (
  token: string,
  who: 'client' | 'sidecar',
  nonces: readonly [string, string],
): string =>
  createHmac('sha256', token)
    .update([MAGIC, who, ...nonces].join('|'))
    .digest('hex')
