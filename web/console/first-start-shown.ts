import { reactive, ref } from 'vue'
import { onKept, store, stored } from '../shared/kept.ts'

const KEY = 'steward.firstStart'
/** Accounts whose checklist nobody wants to see any more in this browser. */
const hidden = reactive(new Set<string>())
/** As another tab has it. */
function hear(): void {
  const kept = stored<string[]>(KEY)
  if (kept === undefined) return
  hidden.clear()
  for (const one of kept) hidden.add(one)
}
hear()
onKept(KEY, hear)

export const isHidden = (accountId: string): boolean => hidden.has(accountId)

export function hide(accountId: string, isHiddenNow: boolean): void {
  hear()
  if (isHiddenNow) hidden.add(accountId)
  else hidden.delete(accountId)
  store(KEY, [...hidden])
}

const DECLINED_KEY = 'steward.firstStart.noAlerts'
const noAlerts = ref(stored<boolean>(DECLINED_KEY) === true)
onKept(DECLINED_KEY, () => {
  noAlerts.value = stored<boolean>(DECLINED_KEY) === true
})

/** Whether alerts are not wanted in this browser. */
export const areAlertsDeclined = (): boolean => noAlerts.value

export function declineAlerts(): void {
  noAlerts.value = true
  store(DECLINED_KEY, true)
}
