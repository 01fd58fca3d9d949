import { nextTick, onBeforeUpdate, onUnmounted, onUpdated, type Ref } from 'vue'
import {
  type RouteLocationNormalized,
  type Router,
  type RouterScrollBehavior,
  START_LOCATION,
} from 'vue-router'

/** Nobody has the focus: what had it is not in the document any more, or hidden. */
const isLost = (): boolean => {
  const { activeElement: at, body } = document
  return at === null || at === body || !at.checkVisibility()
}

/** A window lies over the screen, and has the focus or is about to take it; one that is just going does not. */
const isUnderWindow = (): boolean =>
  [...document.querySelectorAll('.el-overlay')].some(
    (one) => one.checkVisibility() && !/-leave-active/.test(one.className),
  )

function lead(to: HTMLElement | null | undefined): void {
  if (!to) return
  if (!to.hasAttribute('tabindex')) to.tabIndex = -1 // by its script alone, and not on the way of the Tab key
  to.focus({ preventScroll: true })
}
/** To the name of the screen, which is read aloud then; the next Tab goes into it. */
export const leadToHeading = (): void =>
  lead(document.querySelector<HTMLElement>('main h1') ?? document.getElementById('content'))

/** Another span or stock within a screen is no other screen; the wall is one. */
const isSameScreen = (to: RouteLocationNormalized, from: RouteLocationNormalized): boolean =>
  to.path === from.path && to.query['wall'] === from.query['wall']

/** So long a screen may take to read what it shows. */
const LONG_AGAIN_MS = 30_000
/** By these somebody goes where he wants to himself. */
const MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
let goingBack = new AbortController()

/** A screen that is shown anew is short until it has read what it shows: it is moved as it grows, unless somebody moves it himself. */
function goBackTo(top: number): void {
  const going = new AbortController()
  goingBack = going
  const end = (): void => going.abort()
  const grown = new ResizeObserver(() => {
    scrollTo({ top })
    if (document.documentElement.scrollHeight - innerHeight >= top) end()
  })
  const timer = setTimeout(end, LONG_AGAIN_MS)
  going.signal.addEventListener('abort', () => {
    grown.disconnect()
    clearTimeout(timer)
  })
  for (const move of MOVES) addEventListener(move, end, { signal: going.signal, passive: true })
  grown.observe(document.body)
}

/** Another screen is shown from its top, and one that somebody comes back to where he has left it. */
export const scrollBehavior: RouterScrollBehavior = (to, from, saved) => {
  goingBack.abort()
  if (saved !== null) {
    goBackTo(saved.top)
    return false
  }
  // A part of it that is asked for scrolls itself there, once it has been drawn.
  return to.hash !== '' || isSameScreen(to, from) ? false : { top: 0 }
}

/**
 * Whoever goes to another screen has the focus at its heading: a screen reader says where he is, and the keyboard goes on
 * from there. A page that has just been loaded takes it from nobody, nor does a screen that comes late under a window.
 */
export function followScreens(router: Router): void {
  router.afterEach(async (to, from, failure) => {
    const isFirst = from.matched === START_LOCATION.matched
    if (failure !== undefined || isFirst || isSameScreen(to, from)) return
    await nextTick()
    if (!isUnderWindow()) leadToHeading()
  })
}

interface Listed<T> {
  readonly rows: Ref<readonly T[]>
  readonly keyOf: (row: T) => string
  /** Where the rows stand in the document. */
  readonly body: Readonly<Ref<HTMLElement | null>>
}

/** Where the focus was last, if that was in a row of a table, and where it goes once that is gone. */
let place: { readonly element: Element; readonly neighbour: () => HTMLElement | null } | undefined

/** Leads a focus that was lost with its button to the row of that button, or to what stands there by now. */
export function mendFocus(): void {
  if (place === undefined || place.element.isConnected || !isLost()) return
  const neighbour = place.neighbour()
  place = undefined
  if (neighbour === null) leadToHeading()
  else lead(neighbour)
}

document.addEventListener('focusin', ({ target }) => {
  const isElsewhere = target instanceof Element && target.closest('.el-overlay') === null
  if (isElsewhere && target !== place?.element) place = undefined
})

/**
 * Keeps the focus in the rows of a table: what can be done with a row changes with it, and a button may go that has just been
 * pressed. A row that is put elsewhere among the others loses it to nobody, with the button still there.
 */
export function useRowFocus<T>({ rows, keyOf, body }: Listed<T>) {
  const at = (index: number): HTMLElement | null =>
    body.value?.querySelector<HTMLElement>(`tr[data-index="${index}"]`) ?? null
  function note({ target }: FocusEvent): void {
    const element = target as Element
    const index = Number(element.closest('tr[data-index]')?.getAttribute('data-index') ?? -1)
    const row = rows.value[index]
    if (row === undefined) return
    const key = keyOf(row)
    const neighbour = (): HTMLElement | null => {
      const now = rows.value.findIndex((one) => keyOf(one) === key)
      return at(now >= 0 ? now : Math.min(index, rows.value.length - 1))
    }
    place = { element, neighbour }
  }
  let held: HTMLElement | undefined
  onBeforeUpdate(() => {
    const { activeElement: on } = document
    // What follows from the loss may be drawn as well before anybody hears of the first update.
    if (on instanceof HTMLElement && body.value?.contains(on) === true) held = on
  })
  onUpdated(() => {
    if (held?.isConnected === true && isLost()) held.focus({ preventScroll: true })
    held = undefined
    mendFocus()
  })
  onUnmounted(mendFocus)
  return note
}
