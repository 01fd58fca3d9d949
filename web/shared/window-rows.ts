import { useWindowVirtualizer } from '@tanstack/vue-virtual'
import { computed, nextTick, onBeforeUnmount, onMounted, type Ref, ref, watch } from 'vue'
import { prefs } from './prefs.ts'
import { isPrinted } from './printed.ts'

/** Tables up to this length are drawn whole: the browser finds text in them, and nothing is gained. */
const WHOLE_MAX = 60
/** Rows that are put on paper: all are drawn at once then, and the page stands still meanwhile. */
const PRINTED_MAX = 1_000
/** Rows above and below the window that are drawn as well. */
const MARGIN_ROWS = 4
/** Rows come and go so many at a time: most frames of a scroll then change nothing. */
const STEP_ROWS = 8
/** Height of a row before it was measured, pixels. */
const ROW_PX = 38
const DENSE_ROW_PX = 27

interface Listed<T> {
  readonly rows: Ref<readonly T[]>
  readonly keyOf: (row: T) => string
  /** Where the rows stand in the document. */
  readonly body: Readonly<Ref<HTMLElement | null>>
}

export interface DrawnRow<T> {
  readonly row: T
  readonly key: string
  readonly index: number
  /** Pixels of what is left out above it. */
  readonly gap: number
}

/** Which rows of a long list are in the document: those in the window and a few more, and the one that has the focus. */
export function useWindowRows<T>({ rows, keyOf, body }: Listed<T>) {
  const isWhole = computed(() => isPrinted.value || rows.value.length <= WHOLE_MAX)
  /** From the top of the document to the first row. */
  const above = ref(0)
  const focusedKey = ref<string>()
  const focused = computed(() =>
    focusedKey.value === undefined
      ? -1
      : rows.value.findIndex((row) => keyOf(row) === focusedKey.value),
  )
  const virtualizer = useWindowVirtualizer(
    computed(() => {
      const [list, kept] = [rows.value, focused.value]
      return {
        count: isWhole.value ? 0 : list.length,
        estimateSize: () => (prefs.isDense ? DENSE_ROW_PX : ROW_PX),
        getItemKey: (index: number) => keyOf(list[index] as T),
        scrollMargin: above.value,
        rangeExtractor: ({ startIndex, endIndex }: { startIndex: number; endIndex: number }) =>
          indexesOf({ first: startIndex, last: endIndex, count: list.length, kept }),
      }
    }),
  )
  function inWindow(): readonly DrawnRow<T>[] {
    const list = rows.value
    if (isWhole.value) {
      const whole = list.slice(0, PRINTED_MAX)
      return whole.map((row, index) => ({ row, key: keyOf(row), index, gap: 0 }))
    }
    let end = above.value
    return virtualizer.value.getVirtualItems().flatMap((item) => {
      const row = list[item.index]
      if (row === undefined) return [] // of a list that was longer
      const gap = item.start - end
      end = item.end
      return [{ row, key: keyOf(row), index: item.index, gap }]
    })
  }
  const drawn = computed<readonly DrawnRow<T>[]>((before) => {
    const now = inWindow()
    return before !== undefined && isSame(before, now) ? before : now
  })
  /** Pixels of what is left out below. */
  const below = computed(() => {
    if (isWhole.value) return 0
    const last = virtualizer.value.getVirtualItems().at(-1)
    const total = above.value + virtualizer.value.getTotalSize()
    return Math.max(0, total - (last?.end ?? above.value))
  })

  /** Rows whose height is followed already. */
  let measured = new WeakSet<Element>()
  function measure(): void {
    if (body.value === null || isWhole.value) return
    virtualizer.value.measureElement(null) // forgets those that have left
    for (const row of body.value.querySelectorAll<HTMLElement>('tr[data-index]')) {
      if (measured.has(row)) continue
      measured.add(row)
      virtualizer.value.measureElement(row)
    }
  }
  function place(): void {
    if (body.value === null) return
    above.value = Math.round(body.value.getBoundingClientRect().top + window.scrollY)
  }
  const moved = new ResizeObserver(place)
  onMounted(() => {
    place()
    measure()
    moved.observe(document.body)
  })
  onBeforeUnmount(() => moved.disconnect())
  watch(drawn, measure, { flush: 'post' })
  watch(
    () => prefs.isDense,
    () => {
      measured = new WeakSet()
      virtualizer.value.measure()
      measure()
    },
    { flush: 'post' },
  )

  const focus = (event: FocusEvent): void => {
    const row = (event.target as Element).closest('tr[data-index]')
    const index = Number(row?.getAttribute('data-index') ?? -1)
    const found = rows.value[index]
    focusedKey.value = found && keyOf(found)
  }
  /** A row that is put elsewhere loses the focus for a moment, and is to be drawn until it has it again. */
  const blur = async (): Promise<void> => {
    await nextTick()
    if (body.value?.contains(document.activeElement) !== true) focusedKey.value = undefined
  }
  /** Rows that are not on paper, though it is being printed. */
  const unprinted = computed(() => (isWhole.value ? rows.value.length - drawn.value.length : 0))
  return { drawn, below, unprinted, focus, blur }
}

function isSame<T>(one: readonly DrawnRow<T>[], other: readonly DrawnRow<T>[]): boolean {
  if (one.length !== other.length) return false
  return one.every(({ row, index, gap }, at) => {
    const twin = other[at]
    return row === twin?.row && index === twin.index && gap === twin.gap
  })
}

interface Wanted {
  /** In the window. */
  readonly first: number
  readonly last: number
  readonly count: number
  /** Wherever it is; −1: none. */
  readonly kept: number
}

function indexesOf({ first: from, last: to, count, kept }: Wanted): number[] {
  const first = Math.max(0, Math.floor((from - MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS)
  const last = Math.min(count, Math.ceil((to + MARGIN_ROWS) / STEP_ROWS) * STEP_ROWS) - 1
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  if (kept < 0 || kept >= count || (kept >= first && kept <= last)) return indexes
  return kept < first ? [kept, ...indexes] : [...indexes, kept]
}
