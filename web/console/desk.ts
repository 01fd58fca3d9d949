import { defineStore } from 'pinia'
import { computed, effectScope, reactive, ref, shallowReactive, shallowRef, watch } from 'vue'
import { asFault, Fault } from '../shared/fault.ts'
import { accountName, exchangeMs } from '../shared/format.ts'
import { keepFor, keptAccount } from '../shared/keepsake.ts'
import { store as keep, onKept, stored } from '../shared/kept.ts'
import { type Kept, nothingKept, read, readText, type Target } from '../shared/read.ts'
import { followStream, type StreamState } from '../shared/stream.ts'
import { type ConnectionAnswer, moneyOf } from '../shared/wire.ts'
import { type Door, doorAfter } from './door.ts'
import { forgetDrafts } from './drafts.ts'
import { type EquityPoint, plotPoint } from './equity-points.ts'
import { derive, type Live, moneyIn, type Pushed, startPolling } from './live.ts'
import { send } from './send.ts'
import type { StreamEvent } from './wire.ts'

const TOKEN_KEY = 'steward.token'

/** Everything that the console knows of its account, kept current while the page is open. */
export const useDesk = defineStore('desk', () => {
  const token = ref(stored<string>(TOKEN_KEY) ?? '')
  watch(token, forgetDrafts, { flush: 'sync' })
  const door = ref<Door>('checking')
  const stream = reactive<{ state: StreamState; fault: Fault | undefined }>({
    state: 'connecting',
    fault: undefined,
  })
  const lastPush = shallowRef<Pushed>()
  const equity = shallowReactive<EquityPoint[]>([])
  const plotted: { isSimulation: boolean | undefined } = { isSimulation: undefined }
  const live = shallowRef<Live>()
  const scope = effectScope(true)
  let stopStream = (): void => {}

  /** The page is of one account: that its money is not known for a moment after a fill makes it no other one. */
  const toldId = ref('')
  const target = (): Target => ({
    base: '',
    token: token.value,
    accountId: '',
    pageAccount: toldId.value,
  })
  const { get, again, text, post, ask, put, remove } = createClient(target, refused)
  /** Whether a refusal shuts the page: then nothing is asked any more. */
  function refused(fault: Fault): void {
    door.value = doorAfter(door.value, fault)
    if (door.value === 'open' || door.value === 'checking') return
    stopStream()
    if (door.value === 'moved') scope.stop()
  }

  /** Asks at the door, and learns whose page this is. */
  async function knock(): Promise<Fault | undefined> {
    const asked = target()
    try {
      const { account_id: id = '' } = await read<ConnectionAnswer>(asked, '/api/connection/status')
      // Who was forgotten meanwhile is let in no more, and nothing is kept for him.
      if (id !== '' && token.value === asked.token) keepFor(id)
      toldId.value ||= id
      return undefined
    } catch (error) {
      return asFault(error)
    }
  }

  /** Tries a token; true when the service takes it, or another one is tried by then. */
  async function enter(candidate: string): Promise<boolean> {
    const before = token.value
    token.value = candidate
    const fault = await knock()
    // Another tab has let somebody in meanwhile, or has forgotten this one.
    if (token.value !== candidate) return true
    if (fault !== undefined) refused(fault)
    if (fault?.kind === 'token') {
      token.value = before
      return false
    }
    // Nobody answers: what is shown then is what was kept of this account.
    if (fault?.kind === 'connection') toldId.value ||= keptAccount()
    keep(TOKEN_KEY, candidate)
    if (door.value !== 'moved') open()
    return true
  }

  /** Forgets the token, in this browser too, and asks at the door without one. */
  function leave(): Promise<boolean> {
    token.value = ''
    keep(TOKEN_KEY, '')
    return enter('')
  }

  /** Another tab has let somebody in, or has forgotten the token: this one is no longer his either. */
  onKept(TOKEN_KEY, () => {
    const kept = stored<string>(TOKEN_KEY) ?? ''
    if (kept === token.value) return
    token.value = kept
    void enter(kept)
  })

  function open(): void {
    door.value = 'open'
    const before = live.value
    live.value ??= scope.run(() => startPolling({ get, again }))
    stopStream()
    stopStream = followStream({
      target,
      path: '/api/sse',
      onEvent: (event) => onPush(event as StreamEvent),
      onState: (state, fault) => {
        stream.state = state
        stream.fault = fault
        if (fault !== undefined) refused(fault)
      },
    })
    for (const block of Object.values(before ?? {})) void block.refresh()
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
  function plot({ account_info: told, monitoring, timestamp }: StreamEvent): void {
    if (monitoring?.simulationMode !== plotted.isSimulation) equity.splice(0)
    plotted.isSimulation = monitoring?.simulationMode
    const total = told && moneyIn(told)?.total
    if (total !== undefined) plotPoint(equity, { atMs: exchangeMs(timestamp), total })
  }

  const { status, pushed, switches, switchesAt, money, mode } = derive(live, lastPush)
  /** The trading client has told what there is: before that nothing held is not the same as nothing known. */
  const isReported = computed(() => moneyOf(live.value?.status.data) !== undefined)
  /** What is shown of money and holdings is from before the trading client was lost. */
  const isOld = computed(
    () => status.value?.connection?.connected === false && switches.value.simulationMode !== true,
  )
  watch(
    () => live.value?.status.data?.account.id,
    (id) => {
      if (id === undefined || id === '--') return
      toldId.value ||= id
      // An older service answers whoever asks.
      if (id !== toldId.value) refused(new Fault('refused', '', { code: 'OTHER_ACCOUNT' }))
      // Where nobody had answered at the door it is known by now whose answers these are.
      else if (door.value === 'open') keepFor(id)
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
    leave,
    open,
  }
})

/** Requests with the token of the moment, of this account's page; the page hears of each refusal. */
function createClient(target: () => Target, refused: (fault: Fault) => void) {
  const orTell = async <T>(asking: Promise<T>): Promise<T> => {
    const { token } = target()
    try {
      return await asking
    } catch (error) {
      const fault = asFault(error)
      // What is said late of another token says nothing of the one that was let in since.
      if (fault.kind !== 'token' || token === target().token) refused(fault)
      throw error
    }
  }
  const get = <T>(path: string, kept?: Kept): Promise<T> =>
    orTell(read<T>(target(), path, { kept }))
  /** For one block that is read again and again: what has not changed is not sent again. */
  const again = () => {
    const kept = nothingKept()
    return <T>(path: string): Promise<T> => get<T>(path, kept)
  }
  const text = (path: string): Promise<string> => orTell(readText(target(), path))
  const post = <T>(path: string, body: object = {}, idempotencyKey?: string): Promise<T> =>
    orTell(
      send<T>(target(), path, { body, ...(idempotencyKey !== undefined && { idempotencyKey }) }),
    )
  /** A question that needs a body. */
  const ask = <T>(path: string, body: object, timeoutMs?: number): Promise<T> =>
    orTell(
      send<T>(target(), path, {
        body,
        isQuestion: true,
        ...(timeoutMs !== undefined && { timeoutMs }),
      }),
    )
  const remove = <T>(path: string): Promise<T> =>
    orTell(send<T>(target(), path, { verb: 'DELETE' }))
  const put = <T>(path: string, body: object = {}): Promise<T> =>
    orTell(send<T>(target(), path, { verb: 'PUT', body }))
  return { get, again, text, post, ask, put, remove }
}
