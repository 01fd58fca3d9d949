import type { Schemas } from '../shared/api.ts'

/** An account of this computer, and where its console is. */
export type ConsoleRow = Schemas['ConsoleRow']
export type StopOutcome = Schemas['StopOutcome']
export type StopAllAnswer = Schemas['StopAllAnswer']

export interface ConsolesAnswer {
  readonly accounts: readonly ConsoleRow[]
}

/** The page that one goes from, as far as it decides the address of the next one. */
interface Here {
  readonly protocol: string
  readonly hostname: string
  /** Path of the screen that is shown. */
  readonly screen: string
  /** What the reader has chosen, as it may stand in an address: never a token, which the other page asks for itself. */
  readonly look: string
}

/**
 * The same screen of another account. Its console is another origin on this computer, which shares nothing with this
 * one. Undefined where no way is known.
 */
export function consoleAddress(
  { port, is_this: isThis }: Pick<ConsoleRow, 'port' | 'is_this'>,
  { protocol, hostname, screen, look }: Here,
): string | undefined {
  if (port === null || isThis) return undefined
  return `${protocol}//${hostname}:${port}/#${screen}?look=${encodeURIComponent(look)}`
}

export type ConsoleMode = 'live' | 'simulation' | 'paper' | 'unknown'

/** Whether an account trades real money, as it has said itself. */
export function modeOf({ overview }: Pick<ConsoleRow, 'overview'>): ConsoleMode {
  if (overview === null) return 'unknown'
  if (overview.simulation_mode) return 'simulation'
  return overview.driver === 'paper' ? 'paper' : 'live'
}

/** Those that a request to this process can stop. */
export const stoppable = (rows: readonly ConsoleRow[]): readonly ConsoleRow[] =>
  rows.filter((row) => row.is_here)
