import { isReal } from './drivers.ts'
import { isSecretPath } from './problems.ts'
import type { Config } from './schema.ts'
import { leaves, type Path, pathText } from './tree.ts'

/** One setting as it takes effect. */
export interface Setting {
  readonly path: string
  readonly value: unknown
  /** `default`, `file`, `built-in demo`, `env SVC_API_TOKEN`, `.env SVC_API_TOKEN`, `command line`. */
  readonly source: string
  /** The value must never be shown. */
  readonly isSecret: boolean
}

/** Every setting in the order of the schema. */
export const listSettings = (config: Config, sourceOf: (path: Path) => string): Setting[] => {
  const hasReal = config.accounts.some(isReal)
  const simulation = config.strategy.ENABLE_SIMULATION_MODE ?? (hasReal ? 'by driver' : false)
  const shown = { ...config, strategy: { ...config.strategy, ENABLE_SIMULATION_MODE: simulation } }
  return Array.from(leaves(shown), ([path, value]) => ({
    path: pathText(path),
    value,
    source: sourceOf(path),
    isSecret: isSecretPath(path),
  }))
}
