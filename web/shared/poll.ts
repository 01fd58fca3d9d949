import { getCurrentScope, onScopeDispose, reactive, shallowReactive, watch } from 'vue'
import { asFault, type Fault } from './fault.ts'
import type { Keepsake } from './keepsake.ts'
import { oneAfter } from './one-after.ts'

/** A hidden page asks this many times less often. */
const HIDDEN_FACTOR = 5
/** Periods vary by this share, so that many open pages do not ask in step. */
const JITTER = 0.1

/** Something that is read again and again: the last good value, its age, and what is wrong now. */
export interface Polled<T> {
  readonly data: T | undefined
  readonly fault: Fault | undefined
  /** When the last good answer was asked for, epoch ms: it is no older, however late it was read. */
  readonly updatedAt: number | undefined
  readonly isLoading: boolean
  /** Reads now; during a read once more after it, because that may tell how things were before. */
  refresh(): Promise<void>
}

interface PollOptions<T> {
  /** The next value; gets the last one, and may return it when nothing is new. */
  readonly load: (previous: T | undefined) => Promise<T>
  /** 0 = only when asked. */
  readonly everyMs: number
  /** Where its last answer is kept, for when nobody answers as the page opens. */
  readonly keepsake?: Keepsake<T>
}

/** The time of day of this computer, once a second: ages on the page count up with it. */
export const clock = reactive({ nowMs: Date.now() })
setInterval(() => {
  clock.nowMs = Date.now()
}, 1_000)

/** Starts reading. Ends with the component or scope that it was called in. */
export function usePolled<T>({ load, everyMs, keepsake }: PollOptions<T>): Polled<T> {
  const state = shallowReactive({
    data: undefined,
    fault: undefined,
    updatedAt: undefined,
    isLoading: false,
  }) as {
    data: T | undefined
    fault: Fault | undefined
    updatedAt: number | undefined
    isLoading: boolean
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let isOver = false

  const failed = (fault: Fault): void => {
    state.fault = fault
    if (state.data !== undefined || fault.kind !== 'connection') return
    const kept = keepsake?.last()
    state.data = kept?.data
    state.updatedAt = kept?.atMs
  }
  const once = async (): Promise<void> => {
    state.isLoading = true
    const askedMs = Date.now()
    try {
      const next = await load(state.data)
      if (isOver) return
      state.data = next
      state.updatedAt = askedMs
      state.fault = undefined
      keepsake?.note(next, askedMs)
    } catch (error) {
      if (!isOver) failed(asFault(error))
    } finally {
      state.isLoading = false
    }
  }
  const schedule = (): void => {
    clearTimeout(timer)
    if (isOver || everyMs === 0) return
    const factor = document.hidden ? HIDDEN_FACTOR : 1
    timer = setTimeout(
      () => void refresh(),
      everyMs * factor * (1 + JITTER * (Math.random() - 0.5)),
    )
  }
  const refresh = oneAfter(() => (isOver ? Promise.resolve() : once().finally(schedule)))
  const onVisible = (): void => {
    if (!document.hidden) void refresh()
  }
  document.addEventListener('visibilitychange', onVisible)
  if (getCurrentScope() !== undefined) {
    onScopeDispose(() => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    })
  }
  void refresh()
  return Object.assign(state, { refresh }) as Polled<T>
}

/** After a refresh: resolves once it is known how things are since; at once, or with the first read that succeeds where it has failed. */
export function onceRead(of: Pick<Polled<unknown>, 'fault'>): Promise<void> {
  return new Promise((resolve) => {
    if (of.fault === undefined) return resolve()
    const stop = watch(
      () => of.fault,
      (fault) => {
        if (fault !== undefined) return
        stop()
        resolve()
      },
      { flush: 'sync' },
    )
  })
}
