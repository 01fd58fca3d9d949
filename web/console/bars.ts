import { onMounted, onUnmounted, type Ref } from 'vue'

const PADDING = { top: 'scrollPaddingTop', bottom: 'scrollPaddingBottom' } as const
/** Room for the ring around what has the focus. */
const RING_PX = 8

/**
 * What gets the focus is scrolled out from under a bar that stays in the window, at this side of it. A browser takes what
 * lies under one for visible, and a keyboard would be at a button that nobody sees. Measured, as a bar may have two lines.
 */
export function useBar(bar: Readonly<Ref<HTMLElement | null>>, side: keyof typeof PADDING): void {
  const { style } = document.documentElement
  const measured = new ResizeObserver(([entry]) => {
    const { target } = entry as ResizeObserverEntry
    const stays = ['sticky', 'fixed'].includes(getComputedStyle(target).position)
    style[PADDING[side]] = stays ? `${(target as HTMLElement).offsetHeight + RING_PX}px` : ''
  })
  onMounted(() => {
    if (bar.value !== null) measured.observe(bar.value)
  })
  onUnmounted(() => {
    measured.disconnect()
    style[PADDING[side]] = ''
  })
}
