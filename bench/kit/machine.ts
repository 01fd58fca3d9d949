import { availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'

/** Load of the last minute per core above which figures are not to be trusted. */
const QUIET_LOAD_MAX = 0.3

/** The machine that a result was measured on. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly system: string
  readonly node: string
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
  node: process.version,
})

/** Load of the last minute per core. Windows has no such number and always says 0. */
export const loadPerCore = (): number => (loadavg()[0] ?? 0) / availableParallelism()

/** One line when something else is busy on this machine, else undefined. */
export function unrest(load: number): string | undefined {
  if (load <= QUIET_LOAD_MAX) return undefined
  return `the machine is not quiet (load ${load.toFixed(2)} per core): trust ratios only, and those with care`
}
