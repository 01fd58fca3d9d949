import { z } from 'zod'
import { bytes, count, HOUR_MS, MINUTE_MS, ms, whole } from '../../config/fields.ts'
import type { SectionProblem } from '../registration.ts'

/** Of this computer or of another with Windows: the terminal need not run where the service does. */
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/

export const account = z
  .strictObject({
    transport: z
      .enum(['socket', 'files'])
      .default('socket')
      .describe('how the script is reached; files where the broker forbids sockets'),
    port: whole(
      { default: 58_800, min: 1, max: 65_535 },
      'on which the script listens, one of its own for each account; with socket',
    ),
    host: z
      .string()
      .regex(/^[A-Za-z0-9.:-]{1,253}$/, { error: 'must be an IP address or a host name' })
      .default('127.0.0.1')
      .describe('where the script is reached; it listens on its own computer only'),
    folder: z
      .string()
      .max(1_024)
      .refine((text) => text === '' || ABSOLUTE.test(text), { error: 'must be an absolute path' })
      .default('')
      .describe(
        'journal and files of the script, on the computer of the terminal; empty = <data_dir>/<account>/bigqmt',
      ),
  })
  .prefault({})
  .describe('the script inside the full terminal')

export const market = z.strictObject({
  source: z.literal('bigqmt').describe('quotes of the script inside a full terminal'),
  account: z
    .string()
    .max(64)
    .default('')
    .describe('whose script tells them; empty = that of the first account with this driver'),
})

export const limits = z
  .strictObject({
    settle_ms: ms(
      30_000,
      1_000,
      HOUR_MS,
      'after which an order that no list of the terminal shows was not taken',
    ),
    tick_ms: ms(100, 10, MINUTE_MS, 'between two turns of the script, and two looks at its files'),
    calls_per_tick: count(20, 1, 10_000, 'calls that the script works off in one turn'),
    ms_per_tick: ms(20, 1, 10_000, 'of one turn for calls; the terminal stands still meanwhile'),
    look_ms: ms(1_000, 50, MINUTE_MS, 'between two looks of the script at its orders and deals'),
    proof_ms: ms(
      3_000,
      50,
      MINUTE_MS,
      'for which a readable asset shows that lists are not empty by mistake',
    ),
    proofs_missed_max: count(
      3,
      1,
      100,
      'such looks that may fail before the account counts as away',
    ),
    retry_ms: ms(
      2_000,
      10,
      MINUTE_MS,
      'before the script tries again to listen or to write a file',
    ),
    events_waiting_max: count(10_000, 16, 1_048_576, 'pushes of the terminal that wait for a turn'),
    codes_max: count(5_000, 1, 100_000, 'codes that the script subscribes'),
    outbox_bytes_max: bytes(67_108_864, 65_536, 1_073_741_824, 'of the script that nobody reads'),
    frame_bytes_max: bytes(8_388_608, 65_536, 67_108_864, 'longest message over a socket'),
    files_max: count(2_048, 16, 65_536, 'files that wait, each way'),
    file_bytes_max: bytes(8_388_608, 65_536, 67_108_864, 'longest message in a file'),
    file_retry_ms: ms(
      2_000,
      10,
      MINUTE_MS,
      'for which a file may be missing, half-written or held by another program',
    ),
    beat_ms: ms(2_000, 20, MINUTE_MS, 'between two signs of life of the script'),
    beats_missed_max: count(5, 1, 100, 'signs of life that it may miss'),
    handshake_timeout_ms: ms(5_000, 50, MINUTE_MS, 'for it to greet and tell what was missed'),
    linger_ms: ms(5_000, 0, 10 * MINUTE_MS, 'for which a connection waits for its account'),
    calls_max: count(256, 1, 65_536, 'calls that wait for an answer'),
    held_events_max: count(50_000, 16, 1_048_576, 'missed pushes kept until the connection stands'),
    poll_ms: ms(3_000, 50, HOUR_MS, 'between two looks at all quotes, beside the pushes'),
    want_delay_ms: ms(20, 0, MINUTE_MS, 'in which wanted codes are gathered into one subscription'),
    relaunch_min_ms: ms(1_000, 10, HOUR_MS, 'first wait before quotes are sought again'),
    relaunch_max_ms: ms(10_000, 10, HOUR_MS, 'longest wait before quotes are sought again'),
    history_timeout_ms: ms(60_000, 100, HOUR_MS, 'for one history request'),
    history_bars_max: count(8_000, 240, 1_000_000, 'bars that the script is asked for at once'),
  })
  .prefault({})

export type BigqmtConfig = z.output<typeof account>
export type BigqmtMarketConfig = z.output<typeof market>
export type BigqmtConfigLimits = z.output<typeof limits>

/** What no two accounts may share: each has a script of its own. */
export function ownOf({ transport, port, host, folder }: BigqmtConfig): readonly SectionProblem[] {
  const listens = { path: ['port'], message: `port ${port} of ${host}` }
  const keeps = { path: ['folder'], message: `folder ${folder}` }
  return [...(transport === 'socket' ? [listens] : []), ...(folder === '' ? [] : [keeps])]
}

/** Quotes come through the script of an account. */
export function marketProblems(
  { account: wanted }: BigqmtMarketConfig,
  accounts: readonly string[],
): readonly SectionProblem[] {
  const path = ['account']
  if (accounts.length === 0) {
    return [{ path, message: 'no account has driver "bigqmt", whose script would tell the quotes' }]
  }
  if (wanted === '' || accounts.includes(wanted)) return []
  return [{ path, message: `"${wanted}" is no account with driver "bigqmt"` }]
}
