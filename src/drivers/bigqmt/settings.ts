import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { maskAccount } from '../../domain/mask.ts'
import type { TerminalDriverLimits } from '../terminal/driver.ts'
import { type FileLineLimits, fileLine } from '../terminal/file-line.ts'
import type { OpenLine } from '../terminal/line.ts'
import type { HostLimits, Whereabouts } from '../terminal/sidecar-host.ts'
import { socketLine } from '../terminal/socket-line.ts'
import type { BigqmtConfig, BigqmtConfigLimits } from './config.ts'
import type { ScriptSettings } from './generate.ts'
import { ownDigest } from './script-parts.ts'

/** What this driver reads of the configuration. */
export interface BigqmtAccount {
  readonly account_id: string
  readonly driver: string
  readonly qmt_path: string
  readonly account_type: string
  /** Seconds. */
  readonly call_timeout: number
  readonly bigqmt: BigqmtConfig
}
export interface BigqmtLimits {
  readonly bigqmt: BigqmtConfigLimits
  readonly account: { readonly connect_timeout_ms: number }
}
export interface BigqmtSurroundings {
  readonly dataDir: string
  readonly limits: BigqmtLimits
}

/** Where what belongs to the script of an account lies on the computer of the service. */
export const homeOf = (dataDir: string, accountId: string): string =>
  join(dataDir, accountId, 'bigqmt')

/** The secret that the script of an account and this service share. */
export const tokenFileOf = (dataDir: string, accountId: string): string =>
  join(homeOf(dataDir, accountId), 'token')

/** Folder of the journal and of the files, as the computer of the terminal names it. */
export const folderOf = (dataDir: string, account: BigqmtAccount): string =>
  account.bigqmt.folder === '' ? homeOf(dataDir, account.account_id) : account.bigqmt.folder

/** Below {@link folderOf}: what is exchanged with the script. */
export const filesOf = (dataDir: string, account: BigqmtAccount): string =>
  join(folderOf(dataDir, account), 'files')

export const fileLimits = ({ bigqmt }: BigqmtLimits): FileLineLimits => ({
  tickMs: bigqmt.tick_ms,
  filesMax: bigqmt.files_max,
  fileBytesMax: bigqmt.file_bytes_max,
  fileRetryMs: bigqmt.file_retry_ms,
})

export const hostLimits = ({ bigqmt }: BigqmtLimits): HostLimits => ({
  frameBytesMax: bigqmt.frame_bytes_max,
  beatMs: bigqmt.beat_ms,
  beatsMissedMax: bigqmt.beats_missed_max,
  handshakeTimeoutMs: bigqmt.handshake_timeout_ms,
  callsMax: bigqmt.calls_max,
  heldTimeoutMs: 0, // nothing of ours is started
})

export const driverLimits = (
  { limits }: BigqmtSurroundings,
  account: BigqmtAccount,
): TerminalDriverLimits => ({
  callTimeoutMs: account.call_timeout * 1_000,
  connectTimeoutMs: limits.account.connect_timeout_ms,
  heldEventsMax: limits.bigqmt.held_events_max,
})

/** How the script of an account is reached. */
export function lineTo(
  { dataDir, limits }: BigqmtSurroundings,
  account: BigqmtAccount,
  role: 'trade' | 'market',
): OpenLine {
  const { transport, host, port } = account.bigqmt
  return transport === 'socket'
    ? socketLine({ host, port, frameBytesMax: limits.bigqmt.frame_bytes_max })
    : fileLine({ folder: filesOf(dataDir, account), role, limits: fileLimits(limits) })
}

/** The script of an account, as one of the two that it can be. */
export const whereaboutsOf = (
  surroundings: BigqmtSurroundings,
  account: BigqmtAccount,
  role: 'trade' | 'market',
): Whereabouts => ({
  kind: 'attach',
  role,
  line: lineTo(surroundings, account, role),
  token: () => readToken(surroundings.dataDir, account.account_id),
  advice: ({ digest }) => (digest === ownDigest() ? undefined : OTHER_SCRIPT),
})

/** It works with this service as far as both can; what is new needs the script of this version. */
export const OTHER_SCRIPT =
  '终端里的脚本不是本版本生成的：请重新执行 steward script bigqmt 并在终端中替换 (the script in the terminal is of another version: generate it and load it again)'

/**
 * Made by `steward script bigqmt`.
 *
 * Errors  throws one line that says how to make it.
 */
export function readToken(dataDir: string, accountId: string): string {
  try {
    return readFileSync(tokenFileOf(dataDir, accountId), 'utf8').trim()
  } catch (error) {
    const shown = maskAccount(accountId)
    const reason = Reflect.get(Object(error), 'code')
    throw new Error(
      `账户 ${shown} 的脚本尚未生成：执行 steward script bigqmt --account ${shown} (its script has not been made, or its secret cannot be read: ${reason})`,
    )
  }
}

/** What the script of an account is generated with. */
export function scriptSettings(
  { dataDir, limits }: BigqmtSurroundings,
  account: BigqmtAccount,
  { token, version }: Pick<ScriptSettings, 'token' | 'version'>,
): ScriptSettings {
  const { transport, port } = account.bigqmt
  const { bigqmt } = limits
  return {
    account_id: account.account_id,
    account_type: account.account_type,
    token,
    version,
    transport,
    host: '127.0.0.1', // never further than its own computer
    port,
    folder: folderOf(dataDir, account),
    limits: {
      settle_ms: bigqmt.settle_ms,
      tick_ms: bigqmt.tick_ms,
      calls_per_tick: bigqmt.calls_per_tick,
      ms_per_tick: bigqmt.ms_per_tick,
      look_ms: bigqmt.look_ms,
      proof_ms: bigqmt.proof_ms,
      proofs_missed_max: bigqmt.proofs_missed_max,
      retry_ms: bigqmt.retry_ms,
      events_waiting_max: bigqmt.events_waiting_max,
      codes_max: bigqmt.codes_max,
      outbox_bytes_max: bigqmt.outbox_bytes_max,
      frame_bytes_max: bigqmt.frame_bytes_max,
      files_max: bigqmt.files_max,
      file_bytes_max: bigqmt.file_bytes_max,
      beat_ms: bigqmt.beat_ms,
      beats_missed_max: bigqmt.beats_missed_max,
      handshake_ms: bigqmt.handshake_timeout_ms,
      calls_max: bigqmt.calls_max,
      history_bars_max: bigqmt.history_bars_max,
    },
  }
}
