import { reactive } from 'vue'
import { onKept, store, stored } from '../shared/kept.ts'
import { readable, WATCHED_MAX, type Watched } from './watch-rows.ts'

const KEY = 'steward.watch'

/** The list of this browser; each account has a page, and so a list, of its own. */
export const watched = reactive<Watched[]>(readable(stored<unknown>(KEY)))
/** The browser has the list as it is here; one that keeps nothing is not asked. */
let isKept = true
onKept(KEY, hear)

/** The list as another tab has made it. */
function hear(): void {
  const kept = stored<unknown>(KEY)
  if (kept !== undefined) watched.splice(0, watched.length, ...readable(kept))
}
/** Begins with the list as it is by now: a tab that was put to sleep has heard nothing. */
function change(make: () => void): void {
  if (isKept) hear()
  make()
  isKept = store(KEY, watched)
}

/** Puts a stock on the list; false when there is no room. */
export function watchStock({ code, name }: Watched): boolean {
  let isThere = false
  change(() => {
    isThere = watched.some((one) => one.code === code)
    if (isThere || watched.length >= WATCHED_MAX) return
    watched.push({ code, name })
    isThere = true
  })
  return isThere
}

export function unwatch(code: string): void {
  change(() => {
    const at = watched.findIndex((one) => one.code === code)
    if (at >= 0) watched.splice(at, 1)
  })
}
