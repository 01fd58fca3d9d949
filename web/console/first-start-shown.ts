import { reactive, ref } from 'vue'
import { store, stored } from '../shared/prefs.ts'

const KEY = 'steward.firstStart'
/** Accounts whose checklist nobody wants to see any more in this browser. */
const hidden = reactive(new Set(stored<string[]>(KEY) ?? []))

export const isHidden = (accountId: string): boolean => hidden.has(accountId)

export function hide(accountId: string, isHiddenNow: boolean): void {
  if (isHiddenNow) hidden.add(accountId)
  else hidden.delete(accountId)
  store(KEY, [...hidden])
}

const DECLINED_KEY = 'steward.firstStart.noAlerts'
const noAlerts = ref(stored<boolean>(DECLINED_KEY) === true)

/** Whether alerts are not wanted in this browser. */
export const areAlertsDeclined = (): boolean => noAlerts.value

export function declineAlerts(): void {
  noAlerts.value = true
  store(DECLINED_KEY, true)
}
