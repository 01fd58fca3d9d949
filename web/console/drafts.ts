import { computed, onUnmounted, shallowReactive, watch } from 'vue'
import type { Draft } from './limit-draft.ts'
import type { ParameterDraft } from './parameter-draft.ts'
import type { FORMS } from './texts/parameters.ts'
import { forgetNotes, hasNotes } from './use-notes.ts'

type Forms = typeof FORMS
export type ExitName = Forms['exits']['numbers'][number] | Forms['exits']['switches'][number]

const nothing = () => ({
  exits: {} as ParameterDraft<ExitName>,
  isSavingExits: false,
  limits: {} as Draft,
  /** What of the limits was saved and could not be read back yet. It stays in its field, and is no change any more. */
  unread: {} as Draft,
  isSavingLimits: false,
  /** Single parameters, as they were typed, by their names. */
  parameters: {} as Readonly<Record<string, string>>,
})

/**
 * What was typed and is not saved. It outlasts its screen, as notes do: whoever is called away, to the kill switch say, is
 * asked nothing on his way, and finds it when he comes back.
 */
export const drafts = shallowReactive(nothing())

/** Whoever reads the page next is not shown what another had begun. */
export function forgetDrafts(): void {
  Object.assign(drafts, nothing())
  forgetNotes()
}

/** Screens on which something is not saved. */
export const unsaved = computed<ReadonlySet<string>>(() => {
  const { exits, limits, unread, parameters } = drafts
  const isLimit = Object.entries(limits).some(([name, typed]) => unread[name] !== typed)
  const screens = {
    exits: Object.keys(exits).length > 0,
    settings: isLimit || Object.keys(parameters).length > 0,
    trades: hasNotes(),
  }
  return new Set(Object.entries(screens).flatMap(([name, is]) => (is ? [name] : [])))
})

/** The browser asks before a page goes with which something would be lost. While nothing would be, it is not told to ask. */
export function useLeaveQuestion(): void {
  const ask = (event: BeforeUnloadEvent): void => {
    event.preventDefault()
    event.returnValue = true // before version 119, the last for Windows 7, Chrome and Edge ask by this alone
  }
  const isUnsaved = computed(() => unsaved.value.size > 0)
  watch(isUnsaved, (is) => {
    if (is) addEventListener('beforeunload', ask)
    else removeEventListener('beforeunload', ask)
  })
  onUnmounted(() => removeEventListener('beforeunload', ask))
}
