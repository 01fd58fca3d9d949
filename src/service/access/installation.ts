import type { Installation } from '../../../http/port/installation.ts'
import { type Config, isLoopback } from '../../config/schema.ts'
import { readPlan } from '../backups/plan.ts'

/** Set by what starts the service at a log-on or a boot: our own loop on Windows, and systemd. */
const STARTERS = ['STEWARD_AUTOSTART', 'INVOCATION_ID'] as const

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether there are named tokens. */
  readonly hasNamed: boolean
}

/** How this service is set up, as far as it can know. Asked anew each time: plans and tokens change while it runs. */
export function installationOf(config: Config, { env, hasNamed }: Surroundings): Installation {
  return {
    backup: backupOf(config.data_dir),
    isAutostarted: STARTERS.some((name) => (env[name] ?? '') !== '') ? true : undefined,
    access: accessOf(config, hasNamed),
  }
}

function backupOf(dataDir: string): Installation['backup'] {
  const plan = readPlan(dataDir)
  if (!plan.ok) return undefined
  return plan.value === undefined ? 'none' : 'scheduled'
}

function accessOf({ direct, gateway }: Config, hasNamed: boolean): Installation['access'] {
  if (hasNamed || gateway.api_token !== '') return 'token'
  if (!isLoopback(gateway.host)) return 'open'
  return direct.api_token === '' ? 'loopback' : 'token'
}
