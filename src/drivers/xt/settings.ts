import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SidecarConfig } from '../../config/xt.ts'
import type { XtDriverLimits } from './driver.ts'
import { defaultPython } from './launch.ts'
import type { HostLimits, Whereabouts } from './sidecar-host.ts'

/** Limits that the sidecar itself keeps, in its own words; milliseconds. */
export interface SidecarOwnLimits {
  readonly beat_ms: number
  readonly beats_missed_max: number
  readonly handshake_ms: number
  readonly idle_exit_ms: number
  readonly calls_max: number
  readonly leaks_max: number
}

/** All that is needed to find or start a sidecar; plain data, so that it can be handed to a thread. */
export interface SidecarPlan {
  readonly role: 'trade' | 'market'
  readonly sidecar: SidecarConfig
  /** `…\userdata_mini`; the terminal's own copy of xtquant lies beside it. */
  readonly clientPath: string
  /** Folder of the journal. */
  readonly folder: string
  readonly quotePort: number
  readonly limits: HostLimits
  readonly own: SidecarOwnLimits
}

/** What one account's driver is made of, besides the sidecar's plan. */
export interface XtSettings {
  readonly accountType: string
  readonly clientPath: string
  readonly plan: SidecarPlan
  readonly limits: XtDriverLimits
}

/** The copy of xtquant that belongs to a terminal: another version may not understand it. */
export function terminalCopy(clientPath: string): string {
  const folder = join(clientPath, '..', 'bin.x64', 'Lib', 'site-packages')
  return existsSync(join(folder, 'xtquant')) ? folder : ''
}

export const pythonOf = ({ python }: SidecarConfig): string =>
  python === '' ? defaultPython(process.platform) : python

export const xtquantPathOf = ({
  sidecar,
  clientPath,
}: Pick<SidecarPlan, 'sidecar' | 'clientPath'>) =>
  sidecar.xtquant_path === '' ? terminalCopy(clientPath) : sidecar.xtquant_path

/**
 * @param address of a sidecar that was started by hand; undefined = one of our own
 * @param masked what must not be shown in its words, and what is shown instead
 */
export function whereaboutsOf(
  plan: SidecarPlan,
  address: { readonly host: string; readonly port: number } | undefined,
  masked: readonly (readonly [text: string, shown: string])[],
): Whereabouts {
  const { sidecar, role, folder, quotePort, own } = plan
  if (address !== undefined) {
    return { kind: 'attach', ...address, token: () => readToken(sidecar.token_file) }
  }
  return {
    kind: 'spawn',
    python: pythonOf(sidecar),
    masked,
    settings: {
      role,
      xtquant_path: xtquantPathOf(plan),
      limits: { ...own },
      ...(role === 'trade' ? { folder } : { quote_port: quotePort }),
    },
  }
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new Error(`the token file ${file} cannot be read (${reason})`)
  }
}
