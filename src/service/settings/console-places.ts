import type { ConsolePlace } from '../../../http/port/service.ts'
import { ROLE_LOCK_LIMITS, roleHolder } from '../../cluster/role-lock.ts'
import type { AccountConfig, Config } from '../../config/schema.ts'
import { portOf } from './console-port.ts'

interface Consoles {
  readonly config: Config
  /** Ports of the consoles of this process, by place in the configuration. */
  readonly consolePorts: ReadonlyMap<number, number>
}

/**
 * Where the console of each account of the configuration answers on this computer. What another process serves is where
 * the configuration puts it, which both have read.
 */
export function consolePlaces(
  { config, consolePorts }: Consoles,
  timeoutMs: number,
): Promise<readonly ConsolePlace[]> {
  const limits = { ...ROLE_LOCK_LIMITS, answerTimeoutMs: timeoutMs }
  const placeOf = async (account: AccountConfig, index: number): Promise<ConsolePlace> => {
    const { account_id: accountId, alias } = account
    const port = consolePorts.get(index)
    if (port !== undefined) return { accountId, alias, isHere: true, port }
    const holder = await roleHolder(config.data_dir, accountId, 'direct', limits)
    const configured = holder === undefined ? 0 : portOf(config, index)
    return { accountId, alias, isHere: false, port: configured || undefined }
  }
  return Promise.all(config.accounts.map(placeOf))
}
