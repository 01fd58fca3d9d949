import type { GridNext } from '../shared/wire.ts'

type Side = 'buy' | 'sell'
/** What a grid would do next each way, as the service has planned it; nothing where it does not say. */
export type Plans = Readonly<Partial<Record<Side, Plan | null | undefined>>>
type Plan = Pick<GridNext, 'price'> & Partial<Pick<GridNext, 'phase'>>

/** The same of a grid that is not started: its first step each way. */
export const plansOf = ({ buys, sells }: Steps): Plans => ({ buy: buys[0], sell: sells[0] })
interface Steps {
  readonly buys: readonly Plan[]
  readonly sells: readonly Plan[]
}

interface Levels {
  readonly lower: number
  readonly center: number
  readonly upper: number
  readonly now: number
}

export interface Rung {
  readonly name: 'upper' | 'center' | 'lower' | 'turn' | 'now'
  /** The price at which it trades, where it trades at one. */
  readonly at: number
  /** The level behind it, where that is another price. */
  readonly level: number | undefined
  readonly side: Side | undefined
  /** It comes next: no other of its side comes before it. */
  readonly isNext: boolean
}

const planned = (plan: Plan | null | undefined): number | undefined => plan?.price ?? undefined
const isTurn = (plan: Plan | null | undefined): boolean => plan?.phase === 'callback'

/**
 * The lines of a ladder, the highest first: one price for what is one order, the one that trades, which is a tick from its level where
 * that is none of the exchange. While a turn is waited for its level is behind, and stays what it was. Pure.
 */
export function rungsOf({ lower, center, upper, now }: Levels, { buy, sell }: Plans): Rung[] {
  const isTurning = isTurn(buy) || isTurn(sell)
  const levelOf = (name: 'lower' | 'upper', side: Side, level: number): Rung => {
    const plan = side === 'buy' ? buy : sell
    const at = isTurning ? level : (planned(plan) ?? level)
    return { name, side, at, level: at === level ? undefined : level, isNext: !isTurning }
  }
  const plain = (name: 'center' | 'now', at: number): Rung => ({
    name,
    at,
    level: undefined,
    side: undefined,
    isNext: false,
  })
  const turn = isTurn(buy) ? buy : isTurn(sell) ? sell : undefined
  const rungs: Rung[] = [
    levelOf('upper', 'sell', upper),
    plain('center', center),
    levelOf('lower', 'buy', lower),
    {
      name: 'turn',
      at: planned(turn) ?? 0,
      level: undefined,
      side: isTurn(buy) ? 'buy' : 'sell',
      isNext: true,
    },
    plain('now', now),
  ]
  return rungs.filter(({ at }) => at > 0).sort((a, b) => b.at - a.at)
}
