import { nextTick, readonly, ref } from 'vue'

const isOn = ref(false)
addEventListener('beforeprint', () => {
  isOn.value = true
})
addEventListener('afterprint', () => {
  isOn.value = false
})

/** The page is being put on paper, which has no window to scroll in, and is white. */
export const isPrinted = readonly(isOn)

/** Prints the page: what it changes for paper is drawn before, because nothing is while the browser prints for a script. */
export async function printPage(): Promise<void> {
  isOn.value = true
  await nextTick()
  print()
  // A browser that may not print says nothing of an end.
  isOn.value = false
}
