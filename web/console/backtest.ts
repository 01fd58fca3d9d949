/** What a grid would be started with, as far as a backtest of it needs to know. */
export interface Started {
  readonly stock_code: string
}

/** A backtest that was begun, and what it is of. */
export interface Begun {
  readonly id: string
  readonly stock: string
  /** The parameters, as they were sent. */
  readonly parameters: string
}

export const begunWith = (id: string, body: Started): Begun => ({
  id,
  stock: body.stock_code,
  parameters: JSON.stringify(body),
})

/** What this browser has kept of the last one; earlier releases kept the number alone, which says nothing of what it is of. */
export function readable(kept: unknown): Begun | undefined {
  const { id, stock, parameters }: Partial<Begun> = typeof kept === 'object' && kept ? kept : {}
  const isBegun = [id, stock, parameters].every((one) => typeof one === 'string')
  return isBegun ? (kept as Begun) : undefined
}

/** Whether a backtest tells of the grid that stands in the form: of the very same, of one with other parameters, or of another stock. */
export function fitOf(begun: Begun | undefined, body: Started): 'same' | 'changed' | 'none' {
  if (begun === undefined || begun.stock !== body.stock_code) return 'none'
  return begun.parameters === JSON.stringify(body) ? 'same' : 'changed'
}
