import { reactive, watch } from 'vue'
import { store as keep, stored } from '../shared/prefs.ts'
import { readable, WATCHED_MAX, type Watched } from './watch-rows.ts'

const KEY = 'steward.watch'

/** The list of this browser; each account has a page, and so a list, of its own. */
export const watched = reactive<Watched[]>(readable(stored<unknown>(KEY)))
watch(watched, () => keep(KEY, watched))

/** Puts a stock on the list; false when there is no room. */
export function watchStock({ code, name }: Watched): boolean {
  if (watched.some((one) => one.code === code)) return true
  if (watched.length >= WATCHED_MAX) return false
  watched.push({ code, name })
  return true
}

export function unwatch(code: string): void {
  const at = watched.findIndex((one) => one.code === code)
  if (at >= 0) watched.splice(at, 1)
}
