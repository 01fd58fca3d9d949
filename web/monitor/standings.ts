import type { Seen } from '../shared/alerts.ts'
import type { Schemas } from '../shared/api.ts'
import { believed, type Tri } from '../shared/freshness.ts'
import { restingOf } from '../shared/standing.ts'
import { type Addend, accountSum, sumOf } from '../shared/sums.ts'
import { type AccountMoney, moneyOf, type PositionMetrics } from '../shared/wire.ts'

export type OverviewRow = Schemas['OverviewRow']
export type Place = Schemas['AccountPlace']
export type NearestStop = NonNullable<Schemas['AccountOverview']['nearest_stop']>

/** What is wrong with an account, the worst first: this is the order of the wall. */
export const TROUBLES = [
  'noOwner',
  'parked',
  'crashed',
  'noRoom',
  'diskLate',
  'ownerSilent',
  'restarting',
  'takingOver',
  'silent',
  'restore',
  'doubt',
  'disconnected',
  'stopped',
  'stale',
  'differences',
  'lost',
  'masterOff',
  'belowStop',
  'entries',
  'notReady',
  'unavailable',
  'calendar',
] as const
export type TroubleName = (typeof TROUBLES)[number]

/** From here on a person may look when there is time. */
const FIRST_WARNING = TROUBLES.indexOf('masterOff')

export interface Trouble {
  readonly name: TroubleName
  /** How many of it, where it is counted. */
  readonly n?: number
}

export const toneOf = ({ name }: Trouble): 'error' | 'warn' | 'plain' => {
  if (name === 'lost') return 'plain'
  return TROUBLES.indexOf(name) < FIRST_WARNING ? 'error' : 'warn'
}

/** How an account stands, as far as it may be believed; undefined = not known. */
export interface Standing {
  readonly accountId: string
  readonly alias: string
  readonly mode: 'simulation' | 'paper' | 'live' | 'unknown'
  readonly isConnected: Tri
  readonly money: AccountMoney | undefined
  /** At the prices of the money; an older node does not tell. */
  readonly holdings: PositionMetrics | undefined
  /** Of the day, yuan. */
  readonly pnl: number | undefined
  /** Ratio. */
  readonly pnlRatio: number | undefined
  readonly nearest: NearestStop | undefined
  /** Holdings with a stop whose price nobody knows. */
  readonly unpricedStops: number
  readonly openOrders: number | undefined
  /** Who runs it, in a cluster. */
  readonly place: Place | undefined
  /** The worst first; none = all is well. */
  readonly troubles: readonly Trouble[]
  /** The money is from before the trading client was lost. */
  readonly isOld: boolean
}

const FAULTS: ReadonlyMap<string, TroubleName> = new Map([
  ['ACCOUNT_PARKED', 'parked'],
  ['ACCOUNT_SUSPENDED', 'crashed'],
  ['ACTOR_RESTARTING', 'restarting'],
])

type Told = NonNullable<OverviewRow['overview']>
const RESTING = { suspended: 'crashed', disk_space: 'noRoom', disk_late: 'diskLate' } as const

/** Quotes of the holdings that should come and do not. */
const isQuiet = (told: Told): boolean =>
  told.is_in_session &&
  told.quiet_limit_seconds > 0 &&
  (told.quiet_seconds ?? 0) > told.quiet_limit_seconds

/** The holidays of the next weeks are not known: the program is too old. */
const calendarTrouble = ({ calendar_notice: notice }: Told): Trouble | false =>
  notice != null && { name: 'calendar', n: notice.days }

const isBelowStop = ({ nearest_stop: nearest }: Told): boolean => (nearest?.distance ?? 1) <= 0

/** Everything that is wrong with an account that has answered. */
function ownTroubles(told: Told): readonly (Trouble | false)[] {
  const level = told.kill_level_in_force
  const isReal = !told.simulation_mode
  return [
    told.restore_waits && { name: 'restore' },
    told.orders_in_doubt > 0 && { name: 'doubt', n: told.orders_in_doubt },
    isReal && !told.connected && { name: 'disconnected' },
    (level === 'all' || level === 'cancel_all') && { name: 'stopped' },
    isQuiet(told) && { name: 'stale' },
    told.reconcile === 'differences' && { name: 'differences', n: told.differences },
    told.auto_operation === false && { name: 'masterOff' }, // an older node does not tell
    isBelowStop(told) && { name: 'belowStop' },
    level === 'entries' && { name: 'entries' },
    isReal && told.connected && !told.ready && { name: 'notReady' },
    told.reconcile === 'unavailable' && isReal && { name: 'unavailable' },
    calendarTrouble(told),
  ]
}

/** Of a cluster; what cannot be seen from the node that was asked is no trouble of the account. */
const PLACES: ReadonlyMap<Place['standing'], TroubleName> = new Map([
  ['no_owner', 'noOwner'],
  ['owner_silent', 'ownerSilent'],
  ['taking_over', 'takingOver'],
])

function troublesOf(row: OverviewRow): readonly Trouble[] {
  const { fault, overview, place } = row
  const run = place && PLACES.get(place.standing)
  const byPlace = run === undefined ? [] : [{ name: run }]
  if (overview === null) {
    const known = FAULTS.get(fault?.code ?? '')
    // Nobody runs it: that is why it says nothing.
    if (known === undefined && run !== undefined) return byPlace
    return inOrder([...byPlace, { name: known ?? 'silent' }])
  }
  const resting = restingOf(row)
  const found = [resting !== null && { name: RESTING[resting] }, ...ownTroubles(overview)]
  return inOrder([...byPlace, ...found.filter((one) => one !== false)])
}

const inOrder = (found: readonly Trouble[]): readonly Trouble[] =>
  found.toSorted((a, b) => TROUBLES.indexOf(a.name) - TROUBLES.indexOf(b.name))

const LOST: readonly Trouble[] = [{ name: 'lost' }]

export function standingOf(row: OverviewRow, isBelieved: boolean): Standing {
  const told = isBelieved ? row.overview : null
  const mode = modeOf(told)
  const isConnected = told?.connected ?? null
  return {
    accountId: row.account_id,
    alias: row.alias,
    mode,
    isConnected,
    money: moneyOf(told ?? undefined),
    holdings: told?.holdings,
    pnl: told?.today.pnl ?? undefined,
    pnlRatio: told?.today.ratio ?? undefined,
    nearest: told?.nearest_stop ?? undefined,
    unpricedStops: told?.unpriced_stops ?? 0,
    openOrders: told?.open_orders,
    place: isBelieved ? row.place : undefined,
    troubles: isBelieved ? troublesOf(row) : LOST,
    isOld: isConnected === false && mode !== 'simulation',
  }
}

function modeOf(told: Told | null): Standing['mode'] {
  if (told === null) return 'unknown'
  if (told.simulation_mode) return 'simulation'
  return told.driver === 'paper' ? 'paper' : 'live'
}

/** Whether a node runs the account. While it is being taken over nobody can tell yet. */
export function isRun(place: Place | undefined): Tri {
  if (place?.standing === 'running') return true
  return place?.standing === 'no_owner' ? false : null
}

/** What a person wants to hear of an account, as far as this list tells: of orders only how many are in doubt. */
export function heardOf(row: OverviewRow, isAnswering: boolean): Seen {
  const { account_id: accountId, overview, place } = row
  const told = isAnswering ? overview : null
  return {
    accountId,
    isRun: isAnswering ? isRun(place) : null,
    isAnswering: told !== null,
    isWorking: told && restingOf(row) === null,
    isMasterOn: told?.auto_operation ?? null,
    isSimulation: told?.simulation_mode ?? null,
    isConnected: told && (told.simulation_mode || told.connected),
    hasQuotes: told && !isQuiet(told),
    killLevel: told?.kill_level_in_force,
    orders: undefined,
    doubts: told?.orders_in_doubt,
    differences: told?.differences,
  }
}

/** What was read of all accounts, and when. */
interface Heard {
  readonly data: readonly OverviewRow[] | undefined
  readonly updatedAt: number | undefined
}

/** All accounts in the order of the configuration; none of what is too old is believed. */
export function standingsOf(rows: Heard | undefined, nowMs: number): readonly Standing[] {
  const isBelieved = believed(rows, nowMs) !== undefined
  return (rows?.data ?? []).map((row) => standingOf(row, isBelieved))
}

const rankOf = ({ troubles: [worst] }: Standing): number =>
  worst === undefined ? TROUBLES.length : TROUBLES.indexOf(worst.name)
/** From here on a stop is near; in steps, so that tiles do not change places with every tick. */
const NEAR = 0.02
const STEP = 0.005
const nearnessOf = ({ nearest }: Standing): number => {
  const distance = nearest?.distance ?? 1
  return distance < NEAR ? Math.floor(distance / STEP) : NEAR / STEP
}

/** Trouble first, then who is near a stop; else as they are in the configuration. */
export const worstFirst = (standings: readonly Standing[]): readonly Standing[] =>
  [...standings].sort((a, b) => rankOf(a) - rankOf(b) || nearnessOf(a) - nearnessOf(b))

/**
 * Which money is in no sum: simulated money, and beside an account with real money that of the embedded trading
 * client too.
 */
export function playMoneyOf(standings: readonly Standing[]): (of: Pick<Standing, 'mode'>) => Tri {
  const hasReal = standings.some(({ mode }) => mode === 'live')
  return ({ mode }) =>
    mode === 'unknown' ? null : mode === 'simulation' || (mode === 'paper' && hasReal)
}

/** All accounts together, each figure for itself. */
export function wallSums(standings: readonly Standing[]) {
  const isPlayMoney = playMoneyOf(standings)
  const sum = (value: (of: Standing) => number | undefined) =>
    accountSum(
      standings.map(
        (of): Addend => ({
          value: value(of),
          isSimulation: isPlayMoney(of),
          isOld: of.isOld,
        }),
      ),
    )
  const pnl = sum((of) => of.pnl)
  // Of the same accounts: what they had without the day.
  const before = sum(({ money, pnl }) => {
    const base = sumOf([money?.total, pnl]) === undefined ? undefined : money?.total
    return base === undefined || pnl === undefined ? undefined : base - pnl
  })
  const isRatio = pnl.value !== undefined && before.value !== undefined && before.value > 0
  return {
    money: sum(({ money }) => money?.total),
    pnl,
    pnlRatio: isRatio ? (pnl.value ?? 0) / (before.value ?? 1) : undefined,
    /** Orders are orders, simulated or not. */
    openOrders: sumOf(standings.map((of) => of.openOrders)),
    up: standings.filter(({ isConnected }) => isConnected === true).length,
    unconnected: standings.filter(({ isConnected }) => isConnected === null).length,
    troubled: standings.filter(({ troubles }) => troubles.length > 0).length,
  }
}
