import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TerminalDriverLimits } from '../terminal/driver.ts'
import type { HostLimits, Whereabouts } from '../terminal/sidecar-host.ts'
import { socketLine } from '../terminal/socket-line.ts'
import {
  parseAddress,
  type SidecarConfig,
  type XtConfigLimits,
  type XtMarketConfig,
} from './config.ts'
import { defaultPython, launchSidecar } from './launch.ts'

/** Limits that the sidecar itself keeps, in its own words; milliseconds. */
export interface SidecarOwnLimits {
  readonly frame_bytes_max: number
  readonly beat_ms: number
  readonly beats_missed_max: number
  readonly handshake_ms: number
  readonly idle_exit_ms: number
  readonly calls_max: number
  readonly leaks_max: number
  readonly stuck_order_call_ms: number
  readonly quotes_behind_max: number
  readonly quotes_patience_max: number
  readonly resubscribe_min_ms: number
  readonly subscribe_timeout_ms: number
  readonly refusal_text_ms: number
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
  /** For Python, xtquant and the sidecar to be ready. */
  readonly launchTimeoutMs: number
  readonly limits: HostLimits
  readonly own: SidecarOwnLimits
}

/** What one account's driver is made of, besides the sidecar's plan. */
export interface XtSettings {
  readonly accountType: string
  readonly clientPath: string
  readonly plan: SidecarPlan
  readonly limits: TerminalDriverLimits
}

/** What this driver reads of the configuration. */
export interface XtAccount {
  readonly account_id: string
  readonly driver: string
  /** Data folder of the terminal. */
  readonly qmt_path: string
  readonly account_type: string
  /** Seconds. */
  readonly call_timeout: number
  readonly xt: SidecarConfig
}
export interface XtLimits {
  readonly xt: XtConfigLimits
  readonly account: { readonly connect_timeout_ms: number; readonly reconnect_turn_ms: number }
}
export interface XtSurroundings {
  readonly dataDir: string
  readonly limits: XtLimits
}

/** How the driver of one account reaches its sidecar. */
export function xtSettings({ dataDir, limits }: XtSurroundings, account: XtAccount): XtSettings {
  return {
    accountType: account.account_type,
    clientPath: account.qmt_path,
    plan: {
      role: 'trade',
      sidecar: account.xt,
      clientPath: account.qmt_path,
      folder: join(dataDir, account.account_id, 'xt'),
      quotePort: 0,
      launchTimeoutMs: limits.xt.launch_timeout_ms,
      limits: hostLimits(limits),
      own: ownLimits(limits),
    },
    limits: {
      callTimeoutMs: account.call_timeout * 1_000,
      connectTimeoutMs: limits.account.connect_timeout_ms,
      heldEventsMax: limits.xt.held_events_max,
    },
  }
}

/** The sidecar for quotes: a process of its own, because one process speaks to one terminal. */
export function marketPlan(
  { dataDir, limits }: XtSurroundings,
  market: XtMarketConfig,
  accounts: readonly XtAccount[],
): SidecarPlan {
  const first = accounts.find(({ driver }) => driver === 'xt')
  return {
    role: 'market',
    sidecar: {
      python: market.python || (first?.xt.python ?? ''),
      xtquant_path: market.xtquant_path || (first?.xt.xtquant_path ?? ''),
      attach: market.attach,
      token_file: market.token_file,
    },
    clientPath: market.qmt_path || (first?.qmt_path ?? ''),
    folder: join(dataDir, 'service', 'xt'),
    quotePort: market.quote_port,
    launchTimeoutMs: limits.xt.launch_timeout_ms,
    limits: hostLimits(limits),
    own: ownLimits(limits),
  }
}

const ownLimits = ({ xt }: XtLimits): SidecarOwnLimits => ({
  frame_bytes_max: xt.frame_bytes_max,
  beat_ms: xt.beat_ms,
  beats_missed_max: xt.beats_missed_max,
  handshake_ms: xt.handshake_timeout_ms,
  idle_exit_ms: xt.idle_exit_ms,
  calls_max: xt.calls_max,
  leaks_max: xt.leaks_max,
  stuck_order_call_ms: xt.stuck_order_call_ms,
  quotes_behind_max: xt.quotes_behind_max,
  quotes_patience_max: xt.quotes_patience_max,
  resubscribe_min_ms: xt.resubscribe_min_ms,
  subscribe_timeout_ms: xt.subscribe_timeout_ms,
  refusal_text_ms: xt.refusal_text_ms,
})

const hostLimits = ({ xt }: XtLimits): SidecarPlan['limits'] => ({
  frameBytesMax: xt.frame_bytes_max,
  beatMs: xt.beat_ms,
  beatsMissedMax: xt.beats_missed_max,
  handshakeTimeoutMs: xt.handshake_timeout_ms,
  callsMax: xt.calls_max,
  heldTimeoutMs: xt.held_timeout_ms,
})

/** Whether the sidecar of a plan, and with it the terminal, is on this computer. */
export function isHere({ sidecar }: Pick<SidecarPlan, 'sidecar'>): boolean {
  const address = parseAddress(sidecar.attach)
  return address === undefined || /^(127\.|localhost$)/.test(address.host)
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
 * Where the sidecar of a plan is: started by hand, or one of our own.
 *
 * @param masked what must not be shown in its words, and what is shown instead
 */
export function whereaboutsOf(
  plan: SidecarPlan,
  masked: readonly (readonly [text: string, shown: string])[],
): Whereabouts {
  const { sidecar, role, folder, quotePort, own } = plan
  const address = parseAddress(sidecar.attach)
  if (address !== undefined) {
    const line = socketLine({ ...address, frameBytesMax: plan.limits.frameBytesMax })
    return { kind: 'attach', line, token: () => readToken(sidecar.token_file) }
  }
  return {
    kind: 'spawn',
    launch: (token, log) =>
      launchSidecar({
        python: pythonOf(sidecar),
        masked,
        log,
        timeoutMs: plan.launchTimeoutMs,
        settings: {
          role,
          token,
          xtquant_path: xtquantPathOf(plan),
          limits: { ...own },
          ...(role === 'trade' ? { folder } : { quote_port: quotePort }),
        },
      }),
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
