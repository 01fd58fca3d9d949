import { computed, type Ref, ref, shallowRef, watch } from 'vue'
import { asFault, type Fault } from './fault.ts'

/** Rows of a list, the newest first, and where those before them begin; null = there are none. */
export interface Part<R> {
  readonly rows: readonly R[]
  readonly next: string | null
}

/** Rows on the screen, at most. */
export const ROWS_MAX = 20_000

interface Options<R> {
  /** The newest page, kept current by others; undefined while it is on its way. */
  readonly newest: Readonly<Ref<Part<R> | undefined>>
  /** What the list is of: with another one all pages are others. */
  readonly question: Readonly<Ref<string>>
  readonly read: (before: string) => Promise<Part<R>>
  /** The reader wants an order over all rows, which needs all of them. */
  readonly isSorted: Readonly<Ref<boolean>>
}

/** The newest page of a list, and behind it those that were asked for. */
export function useOlderPages<R extends { readonly id: number }>(options: Options<R>) {
  const { newest, question, read, isSorted } = options
  const older = shallowRef<readonly Part<R>[]>([])
  const isReading = ref(false)
  const fault = shallowRef<Fault>()
  const rows = computed(() => {
    const all = [newest.value, ...older.value].flatMap((page) => page?.rows ?? [])
    return [...new Map(all.map((row) => [row.id, row])).values()]
  })
  const next = computed(() => (older.value.at(-1) ?? newest.value)?.next ?? null)
  const isFull = computed(() => rows.value.length >= ROWS_MAX)
  /** Lists so far: what is read, or fails, behind an earlier one says nothing of this one, and does not keep it waiting. */
  let lists = 0
  watch(
    question,
    () => {
      lists += 1
      older.value = []
      fault.value = undefined
      isReading.value = false
    },
    { flush: 'sync' },
  )
  /** What the newest page has lost to new rows belongs to the older ones; where they do not meet, older ones are read again. */
  watch(newest, (now, before) => {
    const [first, ...others] = older.value
    if (now === undefined || before === undefined || first === undefined) return
    const ids = new Set(now.rows.map(({ id }) => id))
    const lost = before.rows.filter(({ id }) => !ids.has(id))
    const doMeet = lost.length < before.rows.length
    older.value = doMeet ? [{ ...first, rows: [...lost, ...first.rows] }, ...others] : []
  })
  async function more(): Promise<void> {
    const before = next.value
    if (isReading.value || before === null || isFull.value) return
    isReading.value = true
    const list = lists
    const { page, failed } = await read(before).then(
      (page) => ({ page, failed: undefined }),
      (error: unknown) => ({ page: undefined, failed: asFault(error) }),
    )
    if (list !== lists) return
    isReading.value = false
    fault.value = failed
    if (page !== undefined) older.value = [...older.value, page]
  }
  /** After a read that failed it is not tried again by itself. */
  watch([isSorted, rows, next], () => {
    if (isSorted.value) void more()
  })
  return {
    get rows() {
      return rows.value
    },
    get next() {
      return next.value
    },
    get isReading() {
      return isReading.value
    },
    get isFull() {
      return isFull.value
    },
    get fault() {
      return fault.value
    },
    more,
  }
}
