import type { Now } from '../protocol/effects.ts'

const NS_PER_MS = 1_000_000n

/** Both clocks of this computer, the same readings in every thread of it. */
export const readClocks = (): Now => ({
  monoMs: Number(process.hrtime.bigint() / NS_PER_MS),
  wallMs: Date.now(),
})
