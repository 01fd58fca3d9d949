import { defineStore } from 'pinia'
import {
  computed,
  type EffectScope,
  effectScope,
  ref,
  shallowReactive,
  shallowRef,
  watch as whenever,
} from 'vue'
import type { Schemas } from '../shared/api.ts'
import { Fault } from '../shared/fault.ts'
import type { Read } from '../shared/fills.ts'
import { accountName } from '../shared/format.ts'
import { store as keep, stored } from '../shared/kept.ts'
import { learnNames } from '../shared/names.ts'
import { clock, type Polled, usePolled } from '../shared/poll.ts'
import { type Kept, nothingKept, read, type Target } from '../shared/read.ts'
import { keepSame, listOf, orderKey, positionKey, unlessSame } from '../shared/rows.ts'
import type {
  AccountState,
  ConnectionAnswer,
  GridSessionRow,
  GridSessionsAnswer,
  KillSwitchAnswer,
  OrderRow,
  PositionMetrics,
  PositionRow,
  PositionsAnswer,
  StatusAnswer,
  V1,
} from '../shared/wire.ts'
import { type Connection, connectionOf } from './connection.ts'
import { areMany, followedOf } from './followed.ts'
import type { Cluster } from './nodes.ts'
import { type OverviewRow, type Standing, standingsOf } from './standings.ts'

const NOT_THERE = 404
const CONNECTION_KEY = 'steward.monitor.connection'
/**
 * The cadence of the monitor: it belongs to the blocks, not to what a switch says. A block that is half a minute old is called
 * late: what is read that often has its next answer before, after the longest pause too.
 */
const EVERY_MS = {
  accounts: 27_000,
  overview: 5_000,
  status: 9_000,
  kill: 9_000,
  connection: 15_000,
  orders: 15_000,
  trades: 18_000,
  positions: 27_000,
} as const

export interface Holdings {
  readonly rows: readonly PositionRow[]
  readonly metrics: PositionMetrics
}

/** What the monitor reads of one account. */
export interface AccountFeed {
  readonly accountId: string
  readonly status: Polled<StatusAnswer>
  readonly state: Polled<Partial<AccountState>>
  readonly orders: Polled<readonly OrderRow[]>
  readonly positions: Polled<Holdings>
  readonly grids: Polled<readonly GridSessionRow[]>
  /** An older service has none. */
  readonly kill: Polled<KillSwitchAnswer>
  /** Reads no more. */
  readonly end: () => void
}

/** An account that there is. */
export interface Listed {
  readonly id: string
  /** What people call it; empty = nothing. */
  readonly alias: string
}

/** Connection and accounts of the monitor. Reads only: nothing in this page can change anything. */
export const useWatch = defineStore('watch', () => {
  const connection = ref<Connection>(connectionOf(stored<unknown>(CONNECTION_KEY)))
  const needsToken = ref(false)
  const feeds = shallowReactive(new Map<string, AccountFeed>())
  const accounts = shallowRef<Polled<readonly Listed[]>>()
  /** How all accounts stand, in one answer; an older service has none. */
  const overview = shallowRef<Polled<readonly OverviewRow[]>>()
  /** Told with it, as old as it is; undefined without a cluster. */
  const cluster = shallowRef<Cluster>()
  /** Only how they stand is read: everything of every account would be too much for the service. */
  const isWall = ref(false)
  /** The account whose screen is open. */
  const open = ref<string>()
  let scope: EffectScope | undefined

  /** How each of them stands; what stands as before is the same object, whatever the time. */
  const standings = computed<readonly Standing[]>((before) =>
    keepSame(before, standingsOf(overview.value, clock.nowMs), ({ accountId }) => accountId),
  )
  /** They are read as often as they should be. */
  const isTold = computed(() => overview.value?.fault === undefined)
  const ids = computed(() => (accounts.value?.data ?? []).map(({ id }) => id))
  const hasOverview = computed(() => overview.value?.fault?.status !== NOT_THERE)
  /** Too many to read everything of each: the list shows how they stand. */
  const isMany = computed(() => areMany({ ids: ids.value, hasOverview: hasOverview.value }))
  const followed = computed(() =>
    followedOf({
      ids: ids.value,
      isWall: isWall.value,
      open: open.value,
      hasOverview: hasOverview.value,
    }),
  )

  const target = (accountId = ''): Target => ({ ...connection.value, accountId })
  async function get<T>(path: string, accountId = '', kept?: Kept): Promise<T> {
    const asked = connection.value
    try {
      return await read<T>(target(accountId), path, { kept })
    } catch (error) {
      // What is said late of another token says nothing of the one that was let in since.
      const isToken = error instanceof Fault && error.kind === 'token'
      if (isToken && asked === connection.value) needsToken.value = true
      throw error
    }
  }

  /** What was traded in an account. */
  function fillsOf(accountId: string) {
    const isDirect = connection.value.mode === 'direct'
    const base = isDirect ? '/api' : `/api/v1/accounts/${encodeURIComponent(accountId)}`
    const reading =
      (kept?: Kept): Read =>
      (path) =>
        get(base + path, accountId, kept)
    return { everyMs: EVERY_MS.trades, again: () => reading(nothingKept()), get: reading() }
  }

  /** Reads from another place from now on. */
  function use(next: Connection): void {
    connection.value = next
    keep(CONNECTION_KEY, next)
    start()
  }
  function start(): void {
    scope?.stop()
    feeds.clear()
    needsToken.value = false
    cluster.value = undefined
    const fresh = effectScope(true)
    scope = fresh
    const { mode } = connection.value
    accounts.value = fresh.run(() =>
      usePolled({
        everyMs: EVERY_MS.accounts,
        load: () => listAccounts(mode, get),
      }),
    )
    overview.value = fresh.run(() =>
      usePolled({
        everyMs: EVERY_MS.overview,
        load: async () => {
          const told = await overviewOf(mode, get)
          if (scope === fresh) cluster.value = told.cluster
          return told.accounts
        },
      }),
    )
    // Whom the list does not know yet: it was asked while the service started, or somebody has registered an account since.
    fresh.run(() =>
      whenever(
        () => overview.value?.data,
        (rows) => {
          const isNew = rows?.some((row) => !ids.value.includes(row.account_id)) === true
          if (isNew && accounts.value?.isLoading === false) void accounts.value.refresh()
        },
      ),
    )
    fresh.run(() =>
      whenever(
        followed,
        (wanted) => {
          follow(feeds, wanted, (id) => fresh.run(() => ownFeed(id, { mode, get })))
        },
        { immediate: true },
      ),
    )
  }
  const list = computed(() => [...feeds.values()])
  const nameOf = (accountId: string): string =>
    accountName(accountId, accounts.value?.data?.find(({ id }) => id === accountId)?.alias)
  return {
    connection,
    needsToken,
    accounts,
    overview,
    standings,
    isTold,
    cluster,
    isWall,
    open,
    ids,
    isMany,
    feeds,
    list,
    nameOf,
    get,
    fillsOf,
    use,
    start,
  }
})

type Get = <T>(path: string, accountId?: string, kept?: Kept) => Promise<T>
interface Source {
  readonly mode: Connection['mode']
  readonly get: Get
}

interface AccountsAnswer {
  readonly accounts: readonly string[]
  /** Absent where a service is older. */
  readonly aliases?: Readonly<Record<string, string>>
}

async function listAccounts(mode: Connection['mode'], get: Get): Promise<readonly Listed[]> {
  if (mode === 'direct') {
    const { id, alias = '' } = (await get<StatusAnswer>('/api/status')).account
    return [{ id, alias }]
  }
  const { accounts, aliases = {} } = (await get<V1<AccountsAnswer>>('/api/v1/accounts')).data
  return accounts.map((id) => ({ id, alias: aliases[id] ?? '' }))
}

interface Overview<R> {
  readonly accounts: readonly R[]
  /** In a cluster only. */
  readonly cluster?: Cluster
}

async function overviewOf(mode: Connection['mode'], get: Get): Promise<Overview<OverviewRow>> {
  if (mode === 'gateway') return (await get<V1<Overview<OverviewRow>>>('/api/v1/overview')).data
  const consoles = await get<Overview<Schemas['ConsoleRow']>>('/api/consoles')
  return { ...consoles, accounts: consoles.accounts.filter((one) => one.is_this) }
}

type Feeds = Map<string, AccountFeed>

/** Starts what is new and ends what is gone. */
function follow(
  feeds: Feeds,
  ids: readonly string[],
  begin: (id: string) => AccountFeed | undefined,
): void {
  for (const id of ids.filter((one) => !feeds.has(one))) {
    const feed = begin(id)
    if (feed !== undefined) feeds.set(id, feed)
  }
  for (const [id, feed] of feeds) {
    if (ids.includes(id)) continue
    feed.end()
    feeds.delete(id)
  }
}

function ownFeed(id: string, source: Source): AccountFeed | undefined {
  const own = effectScope()
  const feed = own.run(() => startFeed(id, source))
  return feed && { ...feed, end: () => own.stop() }
}

function startFeed(accountId: string, { mode, get }: Source): Omit<AccountFeed, 'end'> {
  const path = `/api/v1/accounts/${encodeURIComponent(accountId)}`
  const [keptOrders, keptPositions] = [nothingKept(), nothingKept()]
  return {
    accountId,
    status: usePolled({
      everyMs: EVERY_MS.status,
      load: () => get<StatusAnswer>('/api/status', accountId),
    }),
    state: usePolled<Partial<AccountState>>({
      everyMs: EVERY_MS.connection,
      load: async () =>
        mode === 'direct'
          ? get<ConnectionAnswer>('/api/connection/status')
          : (await get<V1<AccountState>>(`${path}/status`)).data,
    }),
    kill: usePolled<KillSwitchAnswer>({
      everyMs: EVERY_MS.kill,
      load: async () =>
        mode === 'direct'
          ? get<KillSwitchAnswer>('/api/kill-switch')
          : (await get<V1<KillSwitchAnswer>>(`${path}/kill-switch`)).data,
    }),
    grids: usePolled<readonly GridSessionRow[]>({
      everyMs: EVERY_MS.positions,
      load: async () => (await get<GridSessionsAnswer>('/api/grid/sessions', accountId)).sessions,
    }),
    orders: usePolled<readonly OrderRow[]>({
      everyMs: EVERY_MS.orders,
      load: listOf(() => get('/api/orders', accountId, keptOrders), orderKey),
    }),
    positions: usePolled<Holdings>({
      everyMs: EVERY_MS.positions,
      load: unlessSame(
        () => get<PositionsAnswer>('/api/positions', accountId, keptPositions),
        ({ data }, before) => {
          const rows = data.positions_all ?? []
          learnNames(rows, true)
          return {
            rows: keepSame(before?.rows, rows, positionKey),
            metrics: data.metrics ?? {},
          }
        },
      ),
    }),
  }
}
