import { type Money, toYuan } from './money.ts'

/** A limit or a value as it is shown: yuan, shares, seconds, a ratio, or words. */
export type Shown = number | string | null

/** What one pre-trade rule says of an order. */
export interface Finding {
  /** `off`: switched off, not meant for such an order, or nothing is known to judge by. */
  readonly status: 'pass' | 'refused' | 'off'
  /** Chinese first, then short English. */
  readonly message: string
  readonly limit: Shown
  readonly actual: Shown
}

/** The limit of a rule, and what the order has of it; absent where nothing is compared. */
export interface Values {
  readonly limit?: Shown
  readonly actual?: Shown
}

export const found = (status: Finding['status'], message: string, values: Values): Finding => ({
  status,
  message,
  limit: values.limit ?? null,
  actual: values.actual ?? null,
})
export const pass = (values: Values = {}): Finding => found('pass', '通过 (passed)', values)
export const refused = (message: string, values: Values = {}): Finding =>
  found('refused', message, values)
/** It says nothing of this order; an order passes. */
export const off = (message = '未启用 (off)'): Finding => found('off', message, {})
export const notForThis = (): Finding => off('不适用于该委托 (does not apply)')
export const noQuote = (): Finding => off('无行情 (no quote to judge by)')
/** From units of a price or of money to yuan. */
export const yuan = (units: number): number => toYuan(units as Money)
/** Money in units as a text of yuan, never a price: how a price is written depends on its code. */
export const cents = (units: number): string => inYuan(yuan(units))
const CENTS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
/** Yuan as a text, with two decimals. */
export const inYuan = (amount: number): string => amount.toLocaleString('en-US', CENTS)
