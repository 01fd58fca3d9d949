import { computed, reactive, ref, shallowRef, watch } from 'vue'
import { faultOf } from './earnings.ts'
import {
  type Fill,
  type FillFilter,
  goesOn,
  joined,
  LOADED_MAX,
  PAGE,
  pathOf,
  type Read,
} from './fills.ts'
import { learnNames } from './names.ts'
import { onceRead, usePolled } from './poll.ts'
import { keepSame, tradeKey, unlessSame } from './rows.ts'
import type { FillsPage } from './wire.ts'

/** Words are looked for while they are typed, but not each letter. */
const TYPING_MS = 250

interface Newest extends Omit<FillsPage, 'fills'> {
  readonly fills: readonly Fill[]
  /** What it answers. */
  readonly question: string
}

interface Source {
  readonly everyMs: number
  /** For the newest page: what has not changed is not sent again. */
  readonly again: () => Read
  readonly get: Read
}

/** The fills that match, the newest ones kept current, older ones read when they are wanted. */
export function useFills(filter: FillFilter, { everyMs, again, get }: Source) {
  const asked = reactive<FillFilter>({ ...filter })
  const older = shallowRef<readonly Fill[]>([])
  /** Where the next older page begins; undefined: behind the newest page. null: there is none. */
  const next = ref<number | null>()
  /** Goes up when older pages are forgotten: those under way are of another list. */
  let lists = 0
  const isReading = ref(false)
  const read = again()
  const question = (): string => pathOf(asked, { limit: PAGE })
  let questionRead = ''
  const polled = usePolled<Newest>({
    everyMs,
    load: unlessSame<{ data: FillsPage }, Newest>(
      () => {
        questionRead = question()
        return read(questionRead)
      },
      ({ data }, before) => {
        learnNames(data.fills)
        if (before?.question === questionRead) follow(data, before)
        const fills = keepSame<Fill>(before?.fills, data.fills, tradeKey)
        return { ...data, fills, question: questionRead }
      },
    ),
  })
  /** What the newest page has lost to new fills belongs to the older ones. */
  function follow(data: FillsPage, before: Newest): void {
    if (!goesOn(data, before.fills)) forget()
    else if (next.value !== undefined) older.value = joined(before, older.value)
  }
  function forget(): void {
    lists += 1
    isReading.value = false
    older.value = []
    next.value = undefined
  }
  /** Another question. */
  function restart(): Promise<void> {
    forget()
    return polled.refresh()
  }
  let typing: ReturnType<typeof setTimeout> | undefined
  watch(
    () => ({ ...filter }),
    (now, before) => {
      clearTimeout(typing)
      const ask = (): void => {
        // Days that are no span are not asked for: those before stay.
        const { from, to } = faultOf(now, true) ? asked : now
        Object.assign(asked, { ...now, from, to })
        void restart()
      }
      if (now.word === before.word) ask()
      else typing = setTimeout(ask, TYPING_MS)
    },
  )
  /** An answer to what is asked now: one to an earlier question is not shown for it. */
  const newest = computed(() => (polled.data?.question === question() ? polled.data : undefined))
  /** Notes that the newest page may not tell of yet: what was saved never stands there as it was before. */
  const written = shallowRef<ReadonlyMap<number, string | null>>(new Map())
  const withNote = (fill: Fill): Fill => {
    const note = written.value.get(fill.id)
    return note === undefined ? fill : { ...fill, note }
  }
  const rows = computed(() => (newest.value ? joined(newest.value, older.value).map(withNote) : []))
  const nextBefore = computed(() => {
    const first = newest.value?.pagination.next_before ?? null
    return first === null || next.value === undefined ? first : next.value
  })
  /** Reads the next older page, unless one is being read. Errors  those of the read, if the list is still wanted by then. */
  async function more(): Promise<void> {
    const before = nextBefore.value
    if (isReading.value || before === null || rows.value.length >= LOADED_MAX) return
    isReading.value = true
    const list = lists
    try {
      const { data } = await get<{ data: FillsPage }>(pathOf(asked, { limit: PAGE, before }))
      if (list !== lists) return
      older.value = [...older.value, ...data.fills]
      next.value = data.pagination.next_before
      isReading.value = false
    } catch (error) {
      if (list !== lists) return
      isReading.value = false
      throw error
    }
  }
  /** A note is another one, which is shown at once: the newest page is read again, older ones are not. */
  async function noted(id: number, note: string | null): Promise<void> {
    older.value = older.value.map((fill) => (fill.id === id ? { ...fill, note } : fill))
    written.value = new Map(written.value).set(id, note)
    const mine = written.value
    await polled.refresh()
    await onceRead(polled)
    // Another one that was written since is still on its way: its own read tells of both.
    if (written.value === mine) written.value = new Map()
  }
  return { polled, newest, asked, rows, nextBefore, isReading, more, restart, noted }
}
