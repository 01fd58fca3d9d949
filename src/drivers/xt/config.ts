import { z } from 'zod'
import { bytes, count, HOUR_MS, MINUTE_MS, ms, whole } from '../../config/fields.ts'
import type { SectionProblem } from '../registration.ts'

const ADDRESS = /^(?:([A-Za-z0-9.-]{1,253}):)?(\d{1,5})$/

/** `58700` or `127.0.0.1:58700`; undefined when it is neither. */
export function parseAddress(
  text: string,
): { readonly host: string; readonly port: number } | undefined {
  const match = ADDRESS.exec(text)
  const port = Number(match?.[2])
  if (match === null || port < 1 || port > 65_535) return undefined
  return { host: match[1] ?? '127.0.0.1', port }
}

/** How the sidecar beside the real broker is started or found. */
const sidecar = {
  python: z
    .string()
    .max(1_024)
    .default('')
    .describe('interpreter; empty = python on Windows, else python3'),
  xtquant_path: z
    .string()
    .max(1_024)
    .default('')
    .describe("folder that holds xtquant; empty = the terminal's own copy, else Python's"),
  attach: z
    .string()
    .refine((text) => text === '' || parseAddress(text) !== undefined, {
      error: 'must be a port or host:port of a sidecar started by hand',
    })
    .default('')
    .describe('a sidecar that was started by hand, as port or host:port; empty = our own'),
  token_file: z.string().max(1_024).default('').describe('its token; for attach'),
}

export const account = z
  .strictObject(sidecar)
  .prefault({})
  .describe('the sidecar at the real trading client')

export const market = z.strictObject({
  source: z.literal('xt').describe('quotes of the real trading client'),
  ...sidecar,
  qmt_path: z
    .string()
    .max(1_024)
    .default('')
    .describe('whose copy of xtquant is used; empty = that of the first account'),
  quote_port: whole(
    { default: 0, min: 0, max: 65_535 },
    'quote port of the terminal; 0 = the first one found',
  ),
})

export const limits = z
  .strictObject({
    frame_bytes_max: bytes(8_388_608, 65_536, 67_108_864, 'longest frame of a sidecar'),
    beat_ms: ms(2_000, 20, MINUTE_MS, 'between two signs of life of a sidecar'),
    beats_missed_max: count(3, 1, 100, 'signs of life that a sidecar may miss'),
    handshake_timeout_ms: ms(
      5_000,
      50,
      MINUTE_MS,
      'for a sidecar to greet and tell what was missed',
    ),
    launch_timeout_ms: ms(20_000, 100, 10 * MINUTE_MS, 'for Python and xtquant to be ready'),
    held_timeout_ms: ms(20_000, 0, 10 * MINUTE_MS, 'for the sidecar of an earlier process to end'),
    linger_ms: ms(
      5_000,
      0,
      10 * MINUTE_MS,
      'for which a sidecar waits for its account to come back',
    ),
    idle_exit_ms: ms(15_000, 100, HOUR_MS, 'without a client, then a sidecar of ours ends'),
    calls_max: count(256, 1, 65_536, 'calls of one lane of a sidecar that wait'),
    leaks_max: count(3, 0, 1_000, 'calls that never came back before a sidecar gives up'),
    stuck_order_call_ms: ms(
      120_000,
      0,
      HOUR_MS,
      'an order may stand in the library, then its sidecar ends; 0 = however long',
    ),
    refusal_text_ms: ms(
      1_000,
      0,
      MINUTE_MS,
      'for the reason of a refusal to follow it; it is told without one then',
    ),
    held_events_max: count(50_000, 16, 1_048_576, 'missed pushes kept until the connection stands'),
    poll_ms: ms(3_000, 50, HOUR_MS, 'between two looks at all quotes, beside the pushes'),
    poll_timeout_ms: ms(5_000, 50, HOUR_MS, 'for one such look'),
    quotes_behind_max: count(
      3,
      1,
      1_000,
      'looks in a row that are ahead of the pushes, then all is subscribed anew',
    ),
    quotes_patience_max: count(
      256,
      1,
      1_000_000,
      'so many at most where subscribing anew has not helped; each time twice as many',
    ),
    resubscribe_min_ms: ms(10_000, 0, HOUR_MS, 'between two times at which it is done for that'),
    subscribe_timeout_ms: ms(10_000, 50, HOUR_MS, 'for everything to be subscribed anew'),
    want_delay_ms: ms(20, 0, MINUTE_MS, 'in which wanted codes are gathered into one subscription'),
    relaunch_min_ms: ms(1_000, 10, HOUR_MS, 'first wait before quotes are sought again'),
    relaunch_max_ms: ms(60_000, 10, HOUR_MS, 'longest wait before quotes are sought again'),
    terminal_watch_ms: ms(
      5_000,
      1_000,
      MINUTE_MS,
      'between two looks for a process of the terminal, while an account waits for it',
    ),
    terminal_look_timeout_ms: ms(5_000, 100, MINUTE_MS, 'for one such look'),
    history_timeout_ms: ms(30_000, 100, HOUR_MS, 'for one history request'),
    history_rows_max: count(1_000_000, 1, 100_000_000, 'bars in the answer to one history request'),
  })
  .prefault({})

export type SidecarConfig = z.output<typeof account>
export type XtMarketConfig = z.output<typeof market>
export type XtConfigLimits = z.output<typeof limits>

/** A sidecar that was started by hand shows its token in a file. */
export function sidecarProblems({
  attach,
  token_file: tokenFile,
}: Pick<SidecarConfig, 'attach' | 'token_file'>): readonly SectionProblem[] {
  if (attach === '' || tokenFile !== '') return []
  const message = 'missing; it is the file "token" in the folder of the sidecar named by attach'
  return [{ path: ['token_file'], message }]
}
