import { readonly, ref } from 'vue'

const isOn = ref(false)
addEventListener('beforeprint', () => {
  isOn.value = true
})
addEventListener('afterprint', () => {
  isOn.value = false
})

/** The page is being put on paper, which has no window to scroll in, and is white. */
export const isPrinted = readonly(isOn)
