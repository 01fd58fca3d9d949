import type { BarStore } from '../ports/bars.port.ts'

/** Keeps nothing and has nothing. */
export const NO_BARS: BarStore = {
  rows: () => [],
  firstSeen: () => undefined,
  save: async () => undefined,
  forget: async () => undefined,
  close: async () => undefined,
}
