import type { AccountLink, CallOptions } from '../../../http/port/service.ts'
import { type Family, gauge, type Sample } from '../../observability/prometheus.ts'

/** An account under the name that it has in the metrics. */
interface Named {
  readonly handle: Pick<AccountLink, 'read'>
  readonly labels: Readonly<Record<string, string>>
}

interface Switches {
  readonly isMonitoring?: boolean
  readonly simulationMode?: boolean
}

/**
 * What a start of the service puts back, and who watches from afar does not see otherwise: with the master switch off or
 * in simulation mode no stop leaves, however well all else is. An account that cannot answer now has no figure.
 */
export async function switchFamilies(
  accounts: readonly Named[],
  options: CallOptions,
): Promise<Family[]> {
  const told = await Promise.all(accounts.map(({ handle }) => switchesOf(handle, options)))
  const each = (name: keyof Switches): Sample[] =>
    accounts.flatMap(({ labels }, index) => {
      const value = told[index]?.[name]
      return value === undefined ? [] : [{ labels, value: Number(value) }]
    })
  return [
    gauge(
      'steward_account_master_switch',
      '1 while the master switch is on: off after each start for an account at a real trading client, and no stop is sent.',
      each('isMonitoring'),
    ),
    gauge(
      'steward_account_simulation',
      '1 in simulation mode: no order goes to the trading client, and no stop.',
      each('simulationMode'),
    ),
  ]
}

async function switchesOf(handle: Named['handle'], options: CallOptions): Promise<Switches> {
  try {
    const { bytes } = await handle.read('events', options)
    const text = Buffer.from(bytes).toString('utf8')
    // Its end is added by whoever sends it.
    const { monitoring = {} } = JSON.parse(`${text}}`) as { readonly monitoring?: Switches }
    return monitoring
  } catch {
    return {}
  }
}
