import type { AccountInput } from '../../src/account/step.ts'
import type { Effect, Turn } from '../../src/account/turn/turn.ts'
import type { StockCode } from '../../src/domain/instrument.ts'
import type { Decided } from './decision-age.ts'

/** What a turn wants done once its events are on disk. */
export interface Afterwards {
  readonly effects: readonly Effect[]
  /** Of the request that was the cause, empty otherwise. */
  readonly correlationId: string
  readonly decided: Decided
  readonly done: () => void
  /** Somebody outside hears of it: the caller, or the broker. */
  readonly isAwaited: boolean
  /** Nobody hears of it, and what it has noted would be found again: its saving may wait for company. */
  readonly mayWait: boolean
  readonly shown: Shown
  readonly movedBands: MovedBands
}

/** Which read models may be others: none; those that show price marks, as highs are; any. */
export type Shown = 'none' | 'marks' | 'any'

/** Stocks whose bands have to be moved; undefined: none. */
type MovedBands = ReadonlySet<StockCode> | 'all' | undefined

const both = (left: MovedBands, right: MovedBands): MovedBands => {
  if (left === undefined || right === undefined) return left ?? right
  return left === 'all' || right === 'all' ? 'all' : new Set([...left, ...right])
}

const movedBands = (effects: readonly Effect[]): MovedBands =>
  effects.reduce<MovedBands>(
    (moved, effect) => (effect.kind === 'bands' ? both(moved, effect.codes ?? 'all') : moved),
    undefined,
  )

/** Bands follow from the state as it is now, so they are moved once for all turns. */
export const movedBy = (turns: readonly Afterwards[]): MovedBands =>
  turns.reduce<MovedBands>((moved, turn) => both(moved, turn.movedBands), undefined)

/** Turns whose events are on their way to the disk, in one commit. */
export interface Outgoing {
  readonly durable: Promise<void> | undefined
  /** When they were decided and sent; 0 when there is nothing to save. */
  readonly sentAtMs: number
  /** When they were on disk; 0 until then. */
  durableAtMs: number
  readonly turns: readonly Afterwards[]
  /** Nobody waited for it: its turns are done already. */
  readonly isAhead: boolean
  /** It takes along what had been kept. */
  readonly hasKept: boolean
}

/** Of the turn behind an effect. */
export interface Saved {
  readonly correlationId: string
  readonly decided: Decided
  /** When it was sent to the store; 0 when it had nothing to save. */
  readonly sentAtMs: number
  /** When it was on disk; 0 when it had nothing to save. */
  readonly durableAtMs: number
}

/** Whoever waits for what follows from these has been told that it is on disk. */
const ASKED: ReadonlySet<AccountInput['kind']> = new Set<AccountInput['kind']>([
  'request',
  'recordsCleared',
  'started',
])

/** What a turn came from, and who is told when all of it is done. */
export interface Origin extends Pick<Afterwards, 'correlationId' | 'decided' | 'done'> {
  readonly input: AccountInput
}

/** What is left of a turn that has been decided. */
export function afterwards(
  turn: Turn,
  { input, correlationId, decided, done }: Origin,
): Afterwards {
  const effects = withIntents(turn, correlationId)
  const has = (wanted: Effect['kind']) => effects.some(({ kind }) => kind === wanted)
  const isAwaited = ASKED.has(input.kind) || has('call')
  const isQuiet = effects.every(({ kind }) => kind === 'bands')
  const isSilent = input.kind === 'quotes' && isQuiet
  const isUnheard = isSilent || (input.kind === 'alarm' && isQuiet)
  return {
    effects,
    correlationId,
    decided,
    done,
    isAwaited,
    mayWait: isUnheard && turn.isDerived,
    shown: isSilent ? shownBy(turn) : 'any',
    movedBands: movedBands(effects),
  }
}

/** Of a look at quotes that nobody hears of. */
const shownBy = ({ hasChanged, events, isDerived }: Turn): Shown => {
  if (!hasChanged) return 'none'
  return events.length > 0 && isDerived ? 'marks' : 'any'
}

/** Of several turns. */
export function shownByAll(turns: readonly Afterwards[]): Shown {
  if (turns.some(({ shown }) => shown === 'any')) return 'any'
  return turns.some(({ shown }) => shown === 'marks') ? 'marks' : 'none'
}

/**
 * The effects of a turn, and before its calls a line in the log for each order that leaves. The
 * journal must be the same in every run, so a caller's request id is in the log only.
 */
function withIntents({ events, effects }: Turn, correlationId: string): readonly Effect[] {
  const lines: Effect[] = []
  for (const { seq, event } of events) {
    if (event.kind !== 'orderSubmitted') continue
    const fields = { correlationId, clientOrderId: event.order.clientOrderId, seq }
    lines.push({ kind: 'log', level: 'info', fields, message: 'order intent' })
  }
  return lines.length === 0 ? effects : [...lines, ...effects]
}

/** Client order ids of what a turn sends to the broker. */
export function ordersLeaving({ effects }: Turn): readonly string[] {
  let ids: string[] | undefined
  for (const effect of effects) {
    if (effect.kind !== 'call' || effect.command.kind !== 'submit') continue
    ids ??= []
    ids.push(effect.command.order.clientOrderId)
  }
  return ids ?? NONE
}
const NONE: readonly string[] = []
