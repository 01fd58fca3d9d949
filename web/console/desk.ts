import { defineStore } from 'pinia'
import { computed, effectScope, reactive, ref, shallowReactive, shallowRef, watch } from 'vue'
import { Fault } from '../shared/fault.ts'
import { accountName } from '../shared/format.ts'
import { store as keep, stored } from '../shared/prefs.ts'
import { type Kept, nothingKept, read, readText, type Target } from '../shared/read.ts'
import { followStream, type StreamState } from '../shared/stream.ts'
import { moneyOf } from '../shared/wire.ts'
import { derive, type Live, moneyIn, type Pushed, startPolling } from './live.ts'
import { send } from './send.ts'
import type { StreamEvent } from './wire.ts'

const TOKEN_KEY = 'steward.token'
const EQUITY_POINTS_MAX = 3_600

/** Everything that the console knows of its account, kept current while the page is open. */
export const useDesk = defineStore('desk', () => {
  const token = ref(stored<string>(TOKEN_KEY) ?? '')
  /** `checking` until the first answer; `token` when the service wants a token. */
  const door = ref<'checking' | 'open' | 'token'>('checking')
  const stream = reactive<{ state: StreamState; fault: Fault | undefined }>({
    state: 'connecting',
    fault: undefined,
  })
  const lastPush = shallowRef<Pushed>()
  const equity = shallowReactive<{ atMs: number; total: number }[]>([])
  const plotted: { isSimulation: boolean | undefined } = { isSimulation: undefined }
  const live = shallowRef<Live>()
  const scope = effectScope(true)
  let stopStream = (): void => {}

  const target = (): Target => ({ base: '', token: token.value, accountId: '' })
  const { get, again, text, post, ask, put, remove } = createClient(target, () => lock())
  function lock(): void {
    door.value = 'token'
    stopStream()
  }

  /** Tries a token; true when the service takes it. */
  async function enter(candidate: string): Promise<boolean> {
    const before = token.value
    token.value = candidate
    try {
      await read(target(), '/api/connection/status')
    } catch (error) {
      if (error instanceof Fault && error.kind === 'token') {
        token.value = before
        door.value = 'token'
        return false
      }
    }
    keep(TOKEN_KEY, candidate)
    open()
    return true
  }

  function open(): void {
    door.value = 'open'
    live.value ??= scope.run(() => startPolling({ get, again }))
    stopStream()
    stopStream = followStream({
      target,
      path: '/api/sse',
      onEvent: (event) => onPush(event as StreamEvent),
      onState: (state, fault) => {
        stream.state = state
        stream.fault = fault
        if (fault?.kind === 'token') lock()
      },
    })
    for (const block of Object.values(live.value ?? {})) void block.refresh()
  }

  function onPush(event: StreamEvent): void {
    // The account cannot be asked: what it said before is no word on how it is now.
    if (event.error !== undefined) lastPush.value = undefined
    if (event.monitoring === undefined) return
    lastPush.value = { event, atMs: Date.now() }
    plot(event)
    if (event.positions_update?.changed === true && !document.hidden) {
      void live.value?.positions.refresh()
    }
  }

  /** Only what is known is a point; simulated and real money are no one curve. */
  function plot({ account_info: told, monitoring }: StreamEvent): void {
    if (monitoring?.simulationMode !== plotted.isSimulation) equity.splice(0)
    plotted.isSimulation = monitoring?.simulationMode
    const total = told && moneyIn(told)?.total
    if (total === undefined) return
    equity.push({ atMs: Date.now(), total })
    if (equity.length > EQUITY_POINTS_MAX) equity.shift()
  }

  const { status, pushed, switches, switchesAt, money, mode } = derive(live, stream, lastPush)
  /** The trading client has told what there is: before that nothing held is not the same as nothing known. */
  const isReported = computed(() => moneyOf(live.value?.status.data) !== undefined)
  /** What is shown of money and holdings is from before the trading client was lost. */
  const isOld = computed(
    () => status.value?.connection?.connected === false && switches.value.simulationMode !== true,
  )
  /** The page is of one account: that its money is not known for a moment after a fill makes it no other one. */
  const toldId = ref('')
  watch(
    () => live.value?.status.data?.account.id,
    (id) => {
      if (id !== undefined && id !== '--') toldId.value = id
    },
  )
  const accountId = computed(() => toldId.value || (live.value?.status.data?.account.id ?? ''))
  const alias = computed(() => live.value?.status.data?.account.alias ?? '')
  const name = computed(() => accountName(accountId.value || '--', alias.value))
  const pendingOrders = computed(() => (live.value?.orders.data ?? []).filter((o) => o.is_pending))

  return {
    token,
    door,
    stream,
    status,
    pushed,
    equity,
    live,
    switches,
    switchesAt,
    money,
    isReported,
    isOld,
    mode,
    accountId,
    alias,
    name,
    pendingOrders,
    get,
    again,
    text,
    post,
    ask,
    put,
    remove,
    enter,
    open,
  }
})

/** Requests with the token of the moment; a refused token locks the page. */
function createClient(target: () => Target, lock: () => void) {
  const orLock = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading
    } catch (error) {
      if (error instanceof Fault && error.kind === 'token') lock()
      throw error
    }
  }
  const get = <T>(path: string, kept?: Kept): Promise<T> =>
    orLock(read<T>(target(), path, { kept }))
  /** For one block that is read again and again: what has not changed is not sent again. */
  const again = () => {
    const kept = nothingKept()
    return <T>(path: string): Promise<T> => get<T>(path, kept)
  }
  const text = (path: string): Promise<string> => orLock(readText(target(), path))
  const post = <T>(path: string, body: object = {}, idempotencyKey?: string): Promise<T> =>
    send<T>(target(), path, { body, ...(idempotencyKey !== undefined && { idempotencyKey }) })
  /** A question that needs a body. */
  const ask = <T>(path: string, body: object, timeoutMs: number): Promise<T> =>
    send<T>(target(), path, { body, timeoutMs })
  const remove = <T>(path: string): Promise<T> => send<T>(target(), path, { verb: 'DELETE' })
  const put = <T>(path: string, body: object = {}): Promise<T> =>
    send<T>(target(), path, { verb: 'PUT', body })
  return { get, again, text, post, ask, put, remove }
}
